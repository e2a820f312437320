BEGIN TRANSACTION;
CREATE TABLE alembic_version (
	version_num VARCHAR(32) NOT NULL, 
	CONSTRAINT alembic_version_pkc PRIMARY KEY (version_num)
);
INSERT INTO "alembic_version" VALUES('0001');
CREATE TABLE article_versions (
	article_id VARCHAR NOT NULL, 
	version INTEGER NOT NULL, 
	written_on DATE NOT NULL, 
	article TEXT NOT NULL, 
	meta TEXT NOT NULL, 
	PRIMARY KEY (article_id, version)
);
CREATE TABLE articles (
	id VARCHAR NOT NULL, 
	version INTEGER NOT NULL, 
	pool_id VARCHAR NOT NULL, 
	state VARCHAR NOT NULL, 
	staged_on DATE NOT NULL, 
	input_digest VARCHAR NOT NULL, 
	article TEXT NOT NULL, 
	PRIMARY KEY (id)
);
CREATE TABLE consolidations (
	pool_id VARCHAR NOT NULL, 
	version INTEGER NOT NULL, 
	input_digest VARCHAR NOT NULL, 
	consolidation TEXT NOT NULL, 
	PRIMARY KEY (pool_id, version)
);
CREATE TABLE contradictions (
	id VARCHAR NOT NULL, 
	a VARCHAR NOT NULL, 
	b VARCHAR NOT NULL, 
	subject TEXT NOT NULL, 
	kind VARCHAR NOT NULL, 
	confidence FLOAT NOT NULL, 
	status VARCHAR NOT NULL, 
	keep VARCHAR, 
	note TEXT NOT NULL, 
	finding TEXT NOT NULL, 
	PRIMARY KEY (id)
);
CREATE TABLE dead_letters (
	stage VARCHAR NOT NULL, 
	item_id VARCHAR NOT NULL, 
	digest VARCHAR NOT NULL, 
	code_version VARCHAR NOT NULL, 
	model_id VARCHAR NOT NULL, 
	error TEXT NOT NULL, 
	attempts INTEGER NOT NULL, 
	PRIMARY KEY (stage, item_id)
);
CREATE TABLE decisions (
	source VARCHAR NOT NULL, 
	target VARCHAR NOT NULL, 
	judge VARCHAR NOT NULL, 
	prompt_version VARCHAR NOT NULL, 
	source_digest VARCHAR NOT NULL, 
	target_digest VARCHAR NOT NULL, 
	related BOOLEAN NOT NULL, 
	decision TEXT NOT NULL, 
	PRIMARY KEY (source, target, judge, prompt_version)
);
INSERT INTO "decisions" VALUES('kb:KB-1','note:VPN/Gateway.md','deterministic','1/words only','3976bf34cfcb91b1e22943b6058f452f8d558e7eda4575bba71716c920be1ba6','f16d486ae3cc4780791b4710fc12dbfc06788e978e83cb0f767a25c8a1d39566',0,'{"source":"kb:KB-1","target":"note:VPN/Gateway.md","source_digest":"3976bf34cfcb91b1e22943b6058f452f8d558e7eda4575bba71716c920be1ba6","target_digest":"f16d486ae3cc4780791b4710fc12dbfc06788e978e83cb0f767a25c8a1d39566","judge":"deterministic","prompt_version":"1/words only","related":false,"relation":null,"confidence":0.312,"source_quote":"","target_quote":"","reason":"They share little that is rare.","missing_evidence":"no statement on the same subject"}');
INSERT INTO "decisions" VALUES('note:VPN/Gateway.md','note:Backup.md','deterministic','1/words only','f16d486ae3cc4780791b4710fc12dbfc06788e978e83cb0f767a25c8a1d39566','bf8e0f2d8483d7e3f4665fe9a8931199ed15e5e75517531e81052eadddc91f72',1,'{"source":"note:VPN/Gateway.md","target":"note:Backup.md","source_digest":"f16d486ae3cc4780791b4710fc12dbfc06788e978e83cb0f767a25c8a1d39566","target_digest":"bf8e0f2d8483d7e3f4665fe9a8931199ed15e5e75517531e81052eadddc91f72","judge":"deterministic","prompt_version":"1/words only","related":true,"relation":"same_topic","confidence":0.825,"source_quote":"Siehe [[Backup]].","target_quote":"The backup runs every night at 02:00 and is kept for 14 days.","reason":"Names the other in passing.","missing_evidence":""}');
CREATE TABLE edges (
	source VARCHAR NOT NULL, 
	target VARCHAR NOT NULL, 
	relation VARCHAR NOT NULL, 
	origin VARCHAR NOT NULL, 
	confidence FLOAT NOT NULL, 
	judge VARCHAR NOT NULL, 
	source_quote TEXT NOT NULL, 
	target_quote TEXT NOT NULL, 
	reason TEXT NOT NULL, 
	PRIMARY KEY (source, target, relation, origin)
);
INSERT INTO "edges" VALUES('note:VPN/Gateway.md','note:Backup.md','same_topic','relations',0.825,'deterministic','Siehe [[Backup]].','The backup runs every night at 02:00 and is kept for 14 days.','Names the other in passing.');
INSERT INTO "edges" VALUES('note:VPN/Gateway.md','note:Backup.md','references','relations',1.0,'link','Siehe [[Backup]].','','Links to it.');
CREATE TABLE entries (
	id VARCHAR NOT NULL, 
	kind VARCHAR NOT NULL, 
	path VARCHAR, 
	title TEXT NOT NULL, 
	language VARCHAR NOT NULL, 
	date DATE, 
	type VARCHAR, 
	status VARCHAR, 
	ai_origin BOOLEAN NOT NULL, 
	generation_depth INTEGER NOT NULL, 
	content_digest VARCHAR NOT NULL, 
	text_digest VARCHAR NOT NULL, 
	document_digest VARCHAR NOT NULL, 
	deleted_on DATE, 
	body TEXT NOT NULL, 
	document TEXT NOT NULL, 
	PRIMARY KEY (id)
);
INSERT INTO "entries" VALUES('note:Backup.md','note','Backup.md','Backup','en','2026-10-01',NULL,NULL,0,0,'8a2ad8ab83afe9a109a32a1cb08432b74a4302b0c471e7c57b8a2ec5c802dd58','7f4a7810222c1eded1fe6d7bbc4a6d20533bb0b391e9e74bcdb96b130c108c05','96cf42bfd1db51f3b95f9cc7644aa509ec44a48b92f49988a7a4bee8460dd487',NULL,'The backup runs every night at 02:00 and is kept for 14 days.','{"id":"note:Backup.md","kind":"note","path":"Backup.md","title":"Backup","language":"en","date":"2026-10-01","date_origin":"frontmatter date","name_date":null,"type":null,"status":null,"source":null,"confidence":null,"aliases":[],"tags":["backup"],"headings":[],"links":[],"tasks":[],"fields":{"title":"Backup","date":"2026-10-01","tags":["backup"]},"record":null,"ai_origin":false,"generation_depth":0,"encoding":"utf-8","content_digest":"8a2ad8ab83afe9a109a32a1cb08432b74a4302b0c471e7c57b8a2ec5c802dd58","text_digest":"7f4a7810222c1eded1fe6d7bbc4a6d20533bb0b391e9e74bcdb96b130c108c05","previous_ids":[],"problems":[]}');
INSERT INTO "entries" VALUES('note:Druck.md','note','Druck.md','Druckserver','de','2024-01-05',NULL,NULL,0,0,'51cdef97163709cf1fe9606db27421a48dca033ac465352df0f3426e09f4dd74','7b6fb758e57b5232e320fc80ae51a1dfaba0c8c574aa8893df7362fa2b91f945','cecf31af9a7d4655cd7a38a2668e7f197a17676321707d4110bf9082cef5afcf',NULL,'Der Druckserver heißt papyrus.','{"id":"note:Druck.md","kind":"note","path":"Druck.md","title":"Druckserver","language":"de","date":"2024-01-05","date_origin":"frontmatter date","name_date":null,"type":null,"status":null,"source":null,"confidence":null,"aliases":[],"tags":[],"headings":[],"links":[],"tasks":[],"fields":{"title":"Druckserver","date":"2024-01-05"},"record":null,"ai_origin":false,"generation_depth":0,"encoding":"utf-8","content_digest":"51cdef97163709cf1fe9606db27421a48dca033ac465352df0f3426e09f4dd74","text_digest":"7b6fb758e57b5232e320fc80ae51a1dfaba0c8c574aa8893df7362fa2b91f945","previous_ids":[],"problems":[]}');
INSERT INTO "entries" VALUES('note:VPN/Gateway.md','note','VPN/Gateway.md','VPN-Gateway','de','2026-11-01','reference',NULL,0,0,'d98fb3f87e74b6e730f2a130077e51c6aa5984b4613f0d85d6ce23aad108a2ef','8eff19cc4b0057c9910508fc87c1731b43fd8517ae08c6216a72740f99aaa022','28bd0abaa87508e1753cf244ca91655f140f7ff3c4c4c3e5af3d81e3c6939e9d',NULL,'Das VPN-Gateway lauscht auf UDP-Port 51820. Siehe [[Backup]].','{"id":"note:VPN/Gateway.md","kind":"note","path":"VPN/Gateway.md","title":"VPN-Gateway","language":"de","date":"2026-11-01","date_origin":"frontmatter date","name_date":null,"type":"reference","status":null,"source":null,"confidence":null,"aliases":[],"tags":[],"headings":[],"links":[{"target":"Backup","heading":null,"block":null,"label":null,"embed":false,"syntax":"wikilink","entry_id":"note:Backup.md","candidates":[]}],"tasks":[],"fields":{"title":"VPN-Gateway","date":"2026-11-01","type":"reference"},"record":null,"ai_origin":false,"generation_depth":0,"encoding":"utf-8","content_digest":"d98fb3f87e74b6e730f2a130077e51c6aa5984b4613f0d85d6ce23aad108a2ef","text_digest":"8eff19cc4b0057c9910508fc87c1731b43fd8517ae08c6216a72740f99aaa022","previous_ids":[],"problems":[]}');
INSERT INTO "entries" VALUES('kb:KB-1','kb','KB-1.json','VPN verbindet nicht','de',NULL,NULL,NULL,0,0,'e9ef13201bb3d19eed666a6d46f7216e86fcaf3de9a03aeac06d9fc1b2577a18','1a1415e00feaf73e387ce1d94e27cafc78bd26b53a81e261a543085d1f1b3690','b618329f504b38ed99a618fb821046ab36a96c6829a6fb5c400dae9381018282',NULL,'Der VPN-Client baut keinen Tunnel auf.

1. Prüfen Sie die Uhrzeit.
2. Starten Sie den Client neu.','{"id":"kb:KB-1","kind":"kb","path":"KB-1.json","title":"VPN verbindet nicht","language":"de","date":null,"date_origin":null,"name_date":null,"type":null,"status":null,"source":"Support","confidence":null,"aliases":[],"tags":["VPN"],"headings":[],"links":[],"tasks":[],"fields":{},"record":{"id":"KB-1","title":"VPN verbindet nicht","text":"Der VPN-Client baut keinen Tunnel auf.","answer":"1. Prüfen Sie die Uhrzeit.\n2. Starten Sie den Client neu.","auto_reply":false,"min_score":0.8,"categories":["VPN"],"keywords":["VPN"],"source":"Support","source_uri":"","language":"de-DE","communication_style":"formal"},"ai_origin":false,"generation_depth":0,"encoding":"utf-8","content_digest":"e9ef13201bb3d19eed666a6d46f7216e86fcaf3de9a03aeac06d9fc1b2577a18","text_digest":"1a1415e00feaf73e387ce1d94e27cafc78bd26b53a81e261a543085d1f1b3690","previous_ids":[],"problems":[]}');
CREATE TABLE entry_terms (
	entry_id VARCHAR NOT NULL, 
	digest VARCHAR NOT NULL, 
	terms BLOB NOT NULL, 
	PRIMARY KEY (entry_id)
);
INSERT INTO "entry_terms" VALUES('kb:KB-1','56f47b485339eb28ed252fe81813289de7abeabcacfe056f85a8d6f05c6b6239',X'0FEF6730E7AC044242177D503762A7B7550444C7923240EDDEEE8AF32BDE4CF615795EFC');
INSERT INTO "entry_terms" VALUES('note:Backup.md','928a5f03d64fe0e607e815c6b13ad4bdc8a0470c29b7184a769633817d40c960',X'E20FE439DC7BF1B5E36BEADA5A4DDEDEA81942ED');
INSERT INTO "entry_terms" VALUES('note:Druck.md','27079bb80d8a0ecf8d6dc442451ba005475e8ba97153c94b36168e3431945bae',X'78CD7891B96F77BFAB3ED2DA');
INSERT INTO "entry_terms" VALUES('note:VPN/Gateway.md','aeaa9d77d08134103ba0c341d0b6d07b46403d78ca5e6dc86784601e2ad0e32b',X'CC5D914349562B44E36BEADA2E64B7EAC49B78F22BDE4CF636ACEFFC');
CREATE TABLE files (
	source VARCHAR NOT NULL, 
	path VARCHAR NOT NULL, 
	disk_path TEXT NOT NULL, 
	size INTEGER NOT NULL, 
	mtime_ns INTEGER NOT NULL, 
	inode INTEGER NOT NULL, 
	content_digest VARCHAR NOT NULL, 
	state VARCHAR NOT NULL, 
	reason TEXT NOT NULL, 
	entry_ids TEXT NOT NULL, 
	PRIMARY KEY (source, path)
);
INSERT INTO "files" VALUES('vault','Backup.md','Backup.md',116,1796069304740242406,2302183,'8a2ad8ab83afe9a109a32a1cb08432b74a4302b0c471e7c57b8a2ec5c802dd58','live','','["note:Backup.md"]');
INSERT INTO "files" VALUES('vault','Druck.md','Druck.md',76,1796069304740272174,2302184,'51cdef97163709cf1fe9606db27421a48dca033ac465352df0f3426e09f4dd74','live','','["note:Druck.md"]');
INSERT INTO "files" VALUES('vault','VPN/Gateway.md','VPN/Gateway.md',122,1796069304740199734,2302175,'d98fb3f87e74b6e730f2a130077e51c6aa5984b4613f0d85d6ce23aad108a2ef','live','','["note:VPN/Gateway.md"]');
INSERT INTO "files" VALUES('kb','KB-1.json','KB-1.json',345,1796069304740358146,2302186,'e9ef13201bb3d19eed666a6d46f7216e86fcaf3de9a03aeac06d9fc1b2577a18','live','','["kb:KB-1"]');
CREATE TABLE gaps (
	id VARCHAR NOT NULL, 
	kind VARCHAR NOT NULL, 
	term TEXT NOT NULL, 
	state VARCHAR NOT NULL, 
	queries TEXT NOT NULL, 
	seen INTEGER NOT NULL, 
	first_seen DATE NOT NULL, 
	last_seen DATE NOT NULL, 
	note TEXT NOT NULL, 
	detail TEXT NOT NULL, 
	PRIMARY KEY (id)
);
CREATE TABLE ledger (
	stage VARCHAR NOT NULL, 
	item_id VARCHAR NOT NULL, 
	digest VARCHAR NOT NULL, 
	code_version VARCHAR NOT NULL, 
	model_id VARCHAR NOT NULL, 
	PRIMARY KEY (stage, item_id)
);
INSERT INTO "ledger" VALUES('search_index','kb:KB-1','b618329f504b38ed99a618fb821046ab36a96c6829a6fb5c400dae9381018282','3','');
INSERT INTO "ledger" VALUES('search_index','note:Backup.md','96cf42bfd1db51f3b95f9cc7644aa509ec44a48b92f49988a7a4bee8460dd487','3','');
INSERT INTO "ledger" VALUES('search_index','note:Druck.md','cecf31af9a7d4655cd7a38a2668e7f197a17676321707d4110bf9082cef5afcf','3','');
INSERT INTO "ledger" VALUES('search_index','note:VPN/Gateway.md','28bd0abaa87508e1753cf244ca91655f140f7ff3c4c4c3e5af3d81e3c6939e9d','3','');
INSERT INTO "ledger" VALUES('relation_edges','kb:KB-1','2b26bcee3406a22633a0f485447b477d918bba3d7b6420f8feb5ff383827645e','1','words only');
INSERT INTO "ledger" VALUES('relation_edges','note:Backup.md','f6af198313ef43eab6a2bcc051532e51b33b933e4b230486b2652e5e1d1f525f','1','words only');
INSERT INTO "ledger" VALUES('relation_edges','note:Druck.md','2a583f8e3309200b91654228bdf65697a8ca08673a41d3a31ca0197d65651c2a','1','words only');
INSERT INTO "ledger" VALUES('relation_edges','note:VPN/Gateway.md','fdc43c48de3a930ab4ee2af7ddb7ef5a1fe0e2e3800e00a97363a86057914238','1','words only');
CREATE TABLE link_keys (
	"key" VARCHAR NOT NULL, 
	entry_id VARCHAR NOT NULL, 
	by_path BOOLEAN NOT NULL, 
	PRIMARY KEY ("key", entry_id)
);
INSERT INTO "link_keys" VALUES('backup','note:VPN/Gateway.md',1);
CREATE TABLE llm_calls (
	id INTEGER NOT NULL, 
	run_id VARCHAR NOT NULL, 
	at VARCHAR NOT NULL, 
	purpose VARCHAR NOT NULL, 
	provider VARCHAR NOT NULL, 
	model VARCHAR NOT NULL, 
	prompt_version VARCHAR NOT NULL, 
	input_tokens INTEGER NOT NULL, 
	output_tokens INTEGER NOT NULL, 
	ms INTEGER NOT NULL, 
	outcome VARCHAR NOT NULL, 
	PRIMARY KEY (id)
);
CREATE TABLE meta (
	"key" VARCHAR NOT NULL, 
	value TEXT NOT NULL, 
	PRIMARY KEY ("key")
);
INSERT INTO "meta" VALUES('input:vault_notes','1');
INSERT INTO "meta" VALUES('purged_on','2026-12-01');
INSERT INTO "meta" VALUES('input:kb_entries','2');
INSERT INTO "meta" VALUES('generation','2');
INSERT INTO "meta" VALUES('kb:lineage pending','0');
INSERT INTO "meta" VALUES('index:folder','g000001');
INSERT INTO "meta" VALUES('index:generation','2');
INSERT INTO "meta" VALUES('index:documents','967ce8c636215352951a31e6e12697d329e885fe5c0bc6dcc45348c54dbe6b26');
INSERT INTO "meta" VALUES('vectors:state','{"key": [2, [], 20000, false], "full": true, "served": "", "sets": []}');
INSERT INTO "meta" VALUES('input:topic_clusters','210380ab4898937975c57f06b6f8cc10aa41b3e88855c856ce955c432cb1309a');
INSERT INTO "meta" VALUES('input:pools','3d2e7597aee9eadf7f22cafa2a7199d61154dadf223b20a85ebed3182a218d58');
CREATE TABLE note_names (
	"key" VARCHAR NOT NULL, 
	entry_id VARCHAR NOT NULL, 
	kind VARCHAR NOT NULL, 
	PRIMARY KEY ("key", entry_id, kind)
);
INSERT INTO "note_names" VALUES('druckserver','note:Druck.md','title');
INSERT INTO "note_names" VALUES('vpn-gateway','note:VPN/Gateway.md','title');
INSERT INTO "note_names" VALUES('kb-1','kb:KB-1','kb');
CREATE TABLE passages (
	id VARCHAR NOT NULL, 
	entry_id VARCHAR NOT NULL, 
	ordinal INTEGER NOT NULL, 
	heading_path TEXT NOT NULL, 
	text TEXT NOT NULL, 
	language VARCHAR NOT NULL, 
	start INTEGER NOT NULL, 
	"end" INTEGER NOT NULL, 
	digest VARCHAR NOT NULL, 
	PRIMARY KEY (id)
);
INSERT INTO "passages" VALUES('044c4946233265a37f3c63ba86c02ee0','note:Backup.md',0,'[]','The backup runs every night at 02:00 and is kept for 14 days.','en',0,61,'7f4a7810222c1eded1fe6d7bbc4a6d20533bb0b391e9e74bcdb96b130c108c05');
INSERT INTO "passages" VALUES('e4f3b81885c4cbd1e2513322b7860296','note:Druck.md',0,'[]','Der Druckserver heißt papyrus.','de',0,30,'7b6fb758e57b5232e320fc80ae51a1dfaba0c8c574aa8893df7362fa2b91f945');
INSERT INTO "passages" VALUES('e16ba615e3dff5792229b6602585f85f','note:VPN/Gateway.md',0,'[]','Das VPN-Gateway lauscht auf UDP-Port 51820. Siehe [[Backup]].','de',0,61,'8eff19cc4b0057c9910508fc87c1731b43fd8517ae08c6216a72740f99aaa022');
INSERT INTO "passages" VALUES('0e48efc30cba0082dd621d243e1ded05','kb:KB-1',0,'[]','Der VPN-Client baut keinen Tunnel auf.

1. Prüfen Sie die Uhrzeit.
2. Starten Sie den Client neu.','de',0,97,'1a1415e00feaf73e387ce1d94e27cafc78bd26b53a81e261a543085d1f1b3690');
CREATE TABLE pools (
	id VARCHAR NOT NULL, 
	decision VARCHAR NOT NULL, 
	target VARCHAR, 
	reason TEXT NOT NULL, 
	pool TEXT NOT NULL, 
	PRIMARY KEY (id)
);
CREATE TABLE problems (
	source VARCHAR NOT NULL, 
	path VARCHAR NOT NULL, 
	ordinal INTEGER NOT NULL, 
	reason TEXT NOT NULL, 
	severity VARCHAR NOT NULL, 
	PRIMARY KEY (source, path, ordinal)
);
CREATE TABLE refusals (
	pool_id VARCHAR NOT NULL, 
	input_digest VARCHAR NOT NULL, 
	decision VARCHAR NOT NULL, 
	reason TEXT NOT NULL, 
	details TEXT NOT NULL, 
	PRIMARY KEY (pool_id)
);
INSERT INTO "refusals" VALUES('pool-8eaf859bfe897ac4','3d2e7597aee9eadf7f22cafa2a7199d61154dadf223b20a85ebed3182a218d58','skip','too_few_sources: 2 production sources, at least 3 needed','{"checks": {}, "sources": ["note:Backup.md", "note:VPN/Gateway.md"], "target": null, "title": "VPN-Gateway"}');
CREATE TABLE research_pages (
	url VARCHAR NOT NULL, 
	digest VARCHAR NOT NULL, 
	page TEXT NOT NULL, 
	PRIMARY KEY (url)
);
CREATE TABLE research_rounds (
	pool_id VARCHAR NOT NULL, 
	round INTEGER NOT NULL, 
	outcome VARCHAR NOT NULL, 
	input_digest VARCHAR NOT NULL, 
	record TEXT NOT NULL, 
	PRIMARY KEY (pool_id, round)
);
CREATE TABLE reviews (
	id INTEGER NOT NULL, 
	article_id VARCHAR NOT NULL, 
	version INTEGER NOT NULL, 
	action VARCHAR NOT NULL, 
	who VARCHAR NOT NULL, 
	"on" DATE NOT NULL, 
	why TEXT NOT NULL, 
	source_digest VARCHAR NOT NULL, 
	PRIMARY KEY (id)
);
CREATE TABLE stage_runs (
	stage VARCHAR NOT NULL, 
	finished_at VARCHAR NOT NULL, 
	report TEXT NOT NULL, 
	PRIMARY KEY (stage)
);
INSERT INTO "stage_runs" VALUES('vault_notes','2026-11-30T20:08:25+00:00','{"stage": "vault_notes", "pending": 3, "done": 3, "reused": 0, "failed": 0, "parked": 0, "seconds": 0.204, "stopped": "", "details": {"added": 3, "changed": 0, "deleted": 0, "unchanged": 0, "quarantined": 0, "renamed": 0, "files_seen": 3, "live": 3, "relinked": 0, "unread_folders": 0, "ignored": 0, "skipped": {}}}');
INSERT INTO "stage_runs" VALUES('kb_entries','2026-11-30T20:08:25+00:00','{"stage": "kb_entries", "pending": 1, "done": 1, "reused": 0, "failed": 0, "parked": 0, "seconds": 0.158, "stopped": "", "details": {"added": 1, "changed": 0, "deleted": 0, "unchanged": 0, "quarantined": 0, "renamed": 0, "files_seen": 1, "live": 1, "relinked": 0, "unread_folders": 0, "ignored": 0, "skipped": {}, "files": {"added": 1, "changed": 0, "deleted": 0, "unchanged": 0}}}');
INSERT INTO "stage_runs" VALUES('search_index','2026-11-30T20:08:25+00:00','{"stage": "search_index", "pending": 4, "done": 4, "reused": 0, "failed": 0, "parked": 0, "seconds": 0.227, "stopped": "", "details": {"entries": 4, "generation": 2, "rebuilt": ""}}');
INSERT INTO "stage_runs" VALUES('relation_edges','2026-11-30T20:08:28+00:00','{"stage": "relation_edges", "pending": 4, "done": 4, "reused": 0, "failed": 0, "parked": 0, "seconds": 0.393, "stopped": "", "details": {"vector_set": null, "decisions": 2, "reused_decisions": 2, "edges": {"references": 1, "same_topic": 1}, "contradictions": {}}}');
INSERT INTO "stage_runs" VALUES('topic_clusters','2026-11-30T20:08:28+00:00','{"stage": "topic_clusters", "pending": 1, "done": 1, "reused": 0, "failed": 0, "parked": 0, "seconds": 0.343, "stopped": "", "details": {"topics": 0, "outliers": 4, "sizes": {}, "reason": "no three entries are related closely enough to make a topic"}}');
INSERT INTO "stage_runs" VALUES('consolidations','2026-11-30T20:08:29+00:00','{"stage": "consolidations", "pending": 0, "done": 0, "reused": 0, "failed": 0, "parked": 0, "seconds": 0.001, "stopped": "", "details": {}}');
INSERT INTO "stage_runs" VALUES('research_rounds','2026-11-30T20:08:29+00:00','{"stage": "research_rounds", "pending": 0, "done": 0, "reused": 0, "failed": 0, "parked": 0, "seconds": 0.001, "stopped": "", "details": {}}');
INSERT INTO "stage_runs" VALUES('staged_articles','2026-11-30T20:08:30+00:00','{"stage": "staged_articles", "pending": 0, "done": 0, "reused": 0, "failed": 0, "parked": 0, "seconds": 0.014, "stopped": "", "details": {}}');
INSERT INTO "stage_runs" VALUES('embeddings','2026-11-30T20:08:30+00:00','{"stage": "embeddings", "pending": 0, "done": 0, "reused": 0, "failed": 0, "parked": 0, "seconds": 0.001, "stopped": "", "details": {"passages": 0, "articles_waiting": 0, "sets": {}}}');
CREATE TABLE topic_members (
	entry_id VARCHAR NOT NULL, 
	topic_id VARCHAR NOT NULL, 
	PRIMARY KEY (entry_id)
);
INSERT INTO "topic_members" VALUES('kb:KB-1','outliers');
INSERT INTO "topic_members" VALUES('note:Backup.md','outliers');
INSERT INTO "topic_members" VALUES('note:Druck.md','outliers');
INSERT INTO "topic_members" VALUES('note:VPN/Gateway.md','outliers');
CREATE TABLE topics (
	id VARCHAR NOT NULL, 
	label TEXT NOT NULL, 
	terms TEXT NOT NULL, 
	parent VARCHAR, 
	PRIMARY KEY (id)
);
CREATE TABLE unsettled_links (
	entry_id VARCHAR NOT NULL, 
	PRIMARY KEY (entry_id)
);
CREATE TABLE vector_sets (
	id VARCHAR NOT NULL, 
	model VARCHAR NOT NULL, 
	dimension INTEGER NOT NULL, 
	settings TEXT NOT NULL, 
	direction BLOB, 
	direction_origin VARCHAR, 
	complete BOOLEAN NOT NULL, 
	PRIMARY KEY (id)
);
CREATE TABLE vectors (
	set_id VARCHAR NOT NULL, 
	digest VARCHAR NOT NULL, 
	vector BLOB NOT NULL, 
	PRIMARY KEY (set_id, digest)
);
CREATE INDEX decisions_target ON decisions (target);
CREATE INDEX edges_target ON edges (target);
CREATE INDEX entries_kind ON entries (kind, deleted_on);
CREATE INDEX link_keys_entry ON link_keys (entry_id);
CREATE INDEX note_names_entry ON note_names (entry_id);
CREATE INDEX passages_entry ON passages (entry_id, ordinal);
COMMIT;
