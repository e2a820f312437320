"""Words that mean the same in German and English, so that statements meet across languages without any vectors.

One line is one concept: German words, a bar, English words; `_` joins the words of a phrase. Words are stemmed by
their own language when the table is read, so one form of each is enough. It holds what office, IT and household texts
share; the words of a trade come from compounds, from names (which need no translation) and from word vectors.
"""

from __future__ import annotations

import re
from functools import cache

from brain_assets.text.words import fold, stem

_TABLE = """
kennwort passwort kennung_wort passphrase | password passphrase
konto benutzerkonto | account
benutzer anwender nutzer | user
benutzername anmeldename kennung | username user_name login_name
anmeldung anmelden einloggen login | login log_in sign_in logon logging_in
abmelden abmeldung | logout log_off sign_out
sperre gesperrt sperren sperrt | lock locked lockout
entsperren entsperrt | unlock unlocked
freigabe freigeben genehmigung genehmigen zustimmung freigegeben genehmigt | approval approve approved consent
antrag beantragen beantragt bestellen bestellung | request requested order ordering apply application_form
formular | form
verlängern verlängerung | renew renewal extend extension
zugriff zugang zugriffsrecht | access
recht rechte berechtigung | right rights permission privilege
rolle | role
gruppe | group
mitarbeiter mitarbeitende beschäftigte angestellte | employee staff
kollege kollegin kolleginnen | colleague
führungskraft vorgesetzte | manager supervisor line_manager
leitung leiter leiterin | head lead
abteilung fachabteilung | department
personal personalabteilung | human_resources hr
gast gäste besucher besucherin | guest visitor
person personen leute mensch menschen | people person persons
mitglied | member
verein | club association
erwachsene erwachsener | adult adults
jugendliche jugendlicher | youth young_people teenager teenagers
kind kinder | child children
studierende student studentin | student
geschäftlich dienstlich | business
besuch besuchszeit | visit visiting
ausleihe ausleihen verliehen verleih entleihen | loan lend lent lending borrow borrowing
dienstleister externe fremdfirma auftragnehmer | contractor external vendor_staff
partner geschäftspartner | partner
lieferant | supplier vendor
kunde kundin | customer client_company
praktikant werkstudent auszubildende azubi | intern trainee working_student apprentice
schüler schülerin | pupil
patient patientin | patient
arzt ärztin | doctor physician
lehrer lehrerin lehrkraft | teacher
eigentümer besitzer verantwortliche verantwortlicher | owner responsible
ansprechpartner kontakt | contact
vertretung stellvertreter | deputy substitute
helpdesk servicedesk benutzerservice | helpdesk service_desk help_desk
ticket vorgang | ticket
bereitschaft rufbereitschaft bereitschaftsdienst | on-call on_call oncall standby
übergabe | handover hand_over shift_change
schicht | shift
reaktionszeit | response_time reaction_time
störung ausfall vorfall | outage incident disruption failure
fehler | error fault
meldung warnung alarm | alert warning alarm notification
wartung wartungsfenster | maintenance maintenance_window
änderung | change
änderungsstopp | change_freeze freeze
planung plan geplant | plan planning planned
entwurf | draft
entscheidung beschluss | decision
besprechung sitzung | meeting
protokoll niederschrift | minutes_of_meeting
sicherung datensicherung backup | backup
wiederherstellung wiederherstellen zurückspielen rücksicherung | restore recovery restoration
aufbewahrung aufbewahren aufbewahrt vorgehalten vorhalten | retention retain retained keep kept
archiv archivieren archiviert | archive archived archiving
löschung löschen gelöscht | deletion delete deleted erase
kopie kopieren | copy
schnappschuss momentaufnahme snapshot | snapshot
band | tape
server rechner | server
arbeitsplatzrechner | workstation
notebook laptop | laptop notebook
gerät | device
drucker druckgerät | printer
druck drucken ausdruck gedruckt | print printing printed
druckauftrag | print_job
warteschlange | queue
treiber | driver
etikett | label
ausweis hausausweis badge | badge id_card
leser lesegerät | reader
bildschirm monitor | monitor screen display
telefon | phone telephone
handy smartphone diensthandy mobiltelefon | smartphone mobile_phone mobile company_phone
durchwahl nebenstelle rufnummer telefonnummer | extension phone_number
mail e-mail email post | mail e-mail email
nachricht | message
postfach | mailbox
anhang anlage | attachment
empfänger | recipient
absender | sender
verteiler | mailing_list distribution_list
abwesenheitsnotiz abwesenheit | out_of_office vacation_responder
spam werbemail | spam junk
quarantäne | quarantine
netz netzwerk | network
hausnetz firmennetz unternehmensnetz | company_network corporate_network office_network
wlan funknetz drahtlosnetz | wi-fi wifi wlan wireless
vpn fernzugriff fernzugang | vpn remote_access
tunnel | tunnel
gateway zugangsserver | gateway
firewall | firewall
adresse anschrift | address
namensserver nameserver | name_server nameserver dns_server
zertifikat | certificate
schlüssel | key
verschlüsselung verschlüsselt | encryption encrypted
code zugangscode | code
gutschein voucher | voucher
zweiter_faktor zweite_faktor zweiten_faktor zwei_faktoren mfa 2fa | second_factor two_factor mfa 2fa
token hardware-token schlüsselanhänger | token key_fob
authenticator authentifizierungs-app | authenticator
datenbank | database
datenlager data_warehouse dwh warehouse | data_warehouse dwh warehouse
beladung laden ladelauf geladen | load loading ingest
bericht auswertung | report
kennzahl | metric kpi indicator
abfrage | query
tabelle | table
zeile | row line
spalte | column
speicher speicherplatz | storage disk_space
arbeitsspeicher hauptspeicher ram | memory ram
kern kerne | core
platte festplatte | disk drive
laufwerk | drive_letter network_drive
ordner verzeichnis | folder directory
datei | file
dateiablage | file_share
größe groß | size big
höchstgröße obergrenze höchstgrenze grenzwert grenze limit begrenzung maximal höchstens | limit maximum capped cap
mindestlänge mindestens minimum | minimum at_least
länge lang | length long
zeichen | character
ziffer | digit
kontingent quota | quota
umgebung | environment
produktion produktiv produktivumgebung | production prod
staging vorproduktion | staging pre-production
testumgebung testsystem test | test
knoten | node
cluster verbund | cluster
behälter container | container
namensraum namespace | namespace
dienst | service
anwendung | application app
programm software | software program
version fassung | version
stand ausgabe | edition state
aktualisierung aktualisieren update | update
upgrade umstieg anhebung | upgrade
umzug umstellung migration | migration move moved
installation installieren installiert | installation install installed
einrichtung einrichten eingerichtet | setup set_up configure configured
konfiguration einstellung | configuration setting
neustart neustarten | restart reboot
mailrelay smtp-server postausgangsserver relay | relay smtp_server outgoing_mail_server mail_relay
sommerlager ferienlager | summer_camp holiday_camp
protokolldatei | log log_file
überwachung überwacht | monitoring monitored
zeitplan | schedule
termin datum | appointment date
frist | deadline
beginn beginnt start startet anfang anfangen | start begin begins starts
ende endet | end ends finish
dauer dauert | duration last take_time
lieferzeit lieferung lieferfrist lieferdauer | delivery lead_time delivery_time
vorlauf vorlaufzeit | lead_time notice_period advance_notice
gültigkeit gültig gelten gilt laufzeit | validity valid
ablauf ablaufen abgelaufen verfallen verfällt läuft_ab | expiry expire expired expires
wechsel wechseln gewechselt | rotation rotate replace_regularly change_regularly
tausch austausch austauschen ersetzen | replacement replace swap
nacht nächtlich | night nightly
tag täglich | day daily
woche wöchentlich | week weekly
monat monatlich | month monthly
quartal vierteljährlich | quarter quarterly
jahr jährlich | year yearly annual
stunde stündlich | hour hourly
minute | minute
arbeitstag werktag | working_day business_day workday
morgen früh | morning
mittag | noon midday
abend | evening
standort niederlassung filiale | site branch location
hauptsitz zentrale | head_office headquarters
werk fabrik | plant factory
lager lagerhaus | warehouse_building store storehouse
halle | hall
gebäude | building
büro | office
raum zimmer | room
empfang pforte | reception
kantine | canteen cafeteria
parkplatz parken | parking park
öffnungszeit geöffnet | opening_hours open_hours
preis kosten gebühr | price cost fee
rechnung | invoice bill
bestellung | purchase_order
vertrag | contract
urlaub | vacation holiday leave
arbeitszeit | working_hours
schulung unterweisung einweisung training | training instruction briefing
prüfung prüfen geprüft kontrolle | check verify audit_check inspection
test testlauf probe | test trial
messung messen | measurement measure
leistung | power performance
strom | electricity power_supply
wasser | water
heizung | heating
temperatur | temperature
druck_bar | pressure
geschwindigkeit | speed
bandbreite | bandwidth
wechselrichter | inverter
modul | module
fühler sensor | sensor
pumpe | pump
ventil | valve
filter | filter
motor | engine motor
fahrrad rad | bicycle bike
auto fahrzeug wagen | car vehicle
garten | garden
pflanze | plant_garden
rezept | recipe
teig | dough
ofen backofen | oven
backen | bake
anleitung | guide instructions manual how-to
richtlinie regel vorschrift regelung | policy rule regulation
verfahren ablauf_schritt vorgehen | procedure process
schritt | step
liste | list
übersicht überblick | overview summary
frage | question
antwort | answer reply
hinweis | note hint
ursache grund | cause reason
lösung abhilfe | solution fix remedy
beispiel | example
vorlage muster | template
ziel zielwert | goal target
ausnahme | exception
pflicht | obligation duty
verbot | ban prohibition
sicherheit | security safety
datenschutz | data_protection privacy
vertraulich | confidential
ordentlich normal üblich | normal regular usual
neu neue | new
alt alte | old
extern | external
intern | internal
öffentlich | public
privat | private
persönlich | personal
gemeinsam | shared
privilegiert administrativ administrator admin | privileged administrative administrator admin
schnell | fast quick
langsam | slow
voll | full
leer | empty
automatisch selbsttätig von_selbst von_allein | automatic automatically by_itself
von_hand manuell händisch | by_hand manual manually
selbst eigenhändig | themselves yourself self oneself
zahl anzahl | number count
wert | value
betrag summe | amount sum total
anteil quote | share ratio rate
ergebnis | result
fertigung produktionslinie | manufacturing shop_floor
buchung | booking posting
bestand | stock inventory
verbindung verbinden verbunden | connection connect connected
übertragung übertragen | transfer
weiterleitung weiterleiten | forwarding forward
umleitung | redirect diversion
veröffentlichen veröffentlicht | publish published
erreichbar erreichbarkeit zugänglich | reachable accessible availability
verfügbar verfügbarkeit | available
schnittstelle | interface api
anschluss | port_socket connector
bibliothek | library
buch | book
kurs | course
klasse | class
schule | school
krankenhaus klinik | hospital clinic
station | ward
labor | laboratory lab
küche | kitchen
werkstatt | workshop
maschine | machine
werkzeug | tool
bauteil teil | part component
material | material
papier | paper
tinte toner | ink toner
reinigung reinigen | cleaning clean
müll abfall | waste garbage
versand versenden verschickt | dispatch shipping ship shipped sending
paket | package parcel
wiederholung wiederholen erneut_versuchen versuch | retry attempt try
fehlversuch falsche_eingaben falsche_eingabe | failed_attempts wrong_attempts wrong_passwords
sitzung session | session
leerlauf | idle
zeitüberschreitung | timeout
umschaltung übernahme | failover switchover
hochverfügbarkeit | high_availability
lizenz | licence license
besitz | possession
zuständig zuständigkeit | responsible responsibility
einmal | once
zweimal | twice
signatur unterschrift | signature
signiert unterschrieben | signed
erforderlich nötig notwendig benötigt | required needed necessary
erlaubt zulässig gestattet | allowed permitted
akzeptieren akzeptiert angenommen | accept accepted
ablehnen abgelehnt abgewiesen | reject rejected refused
""".strip()


@cache
def table() -> tuple[dict[str, str], dict[str, str]]:
    """Form or stem → concept for single words, and lower-case phrase → concept.

    A concept is named by its first English word. A word as written here stands before a word that only shares its
    stem ("Druck" is not "Drucker"); of words equal in both, the first line counts.
    """
    written: dict[str, str] = {}
    stems: dict[str, str] = {}
    phrases: dict[str, str] = {}
    for line in _TABLE.splitlines():
        german, _, english = line.partition("|")
        concept = "=" + english.split()[0]
        for language, part in (("de", german), ("en", english)):
            for word in part.split():
                if "_" in word:
                    phrases.setdefault(word.replace("_", " "), concept)
                else:
                    written.setdefault(fold(word), concept)
                    stems.setdefault(stem(word, language), concept)
    return stems | written, phrases


@cache
def phrases_by_first_word() -> dict[str, re.Pattern[str]]:
    """Lower-case first word → a pattern that matches the phrases beginning with it, the longest first."""
    by_first: dict[str, list[str]] = {}
    for phrase in table()[1]:
        by_first.setdefault(phrase.split()[0], []).append(phrase)
    return {
        first: re.compile(rf"(?:{'|'.join(map(re.escape, sorted(found, key=lambda p: (-len(p), p))))})\b", re.I)
        for first, found in by_first.items()
    }
