"""Opposite statements and people in charge: what contradicts, and what only looks like it, in both languages."""

from __future__ import annotations

import pytest

from brain_assets.graph import contradictions, owners, polarity
from brain_assets.graph.wordvectors import WordVectors
from brain_assets_tests.graph.brains import note

_CONTRADICT = (
    (
        "status",
        "Aufzug Nord",
        "Der Aufzug im Nordflügel ist seit dem 3. Mai wieder in Betrieb. Er fasst acht Personen.",
        "Facility round, May",
        "- Floor in the lobby polished.\n- The lift in the north wing has not been repaired yet; parts are on order.",
    ),
    (
        "status",
        "Wartungsvertrag Kühlhaus",
        "Der Wartungsvertrag für das Kühlhaus ist gekündigt und endet im März.",
        "Contracts overview",
        "The maintenance contract for the cold store was extended by two years.",
    ),
    (
        "status",
        "Zeitschrift Der Imker",
        "Das Abonnement der Zeitschrift Der Imker läuft zum Jahresende aus.",
        "Zeitschriften",
        "Das Abonnement der Zeitschrift Der Imker wurde bis 2028 verlängert.",
    ),
    (
        "status",
        "Old intranet",
        "The old intranet was switched off last winter.",
        "Formulare finden",
        "Das alte Intranet läuft weiterhin; dort liegen alle Formulare.",
    ),
    (
        "status",
        "Doppelte Anmeldung",
        "Die Zwei-Schritt-Anmeldung ist für das Lohnprogramm seit April aktiv.",
        "Payroll, open points",
        "Two-step sign-in for the payroll program is not enabled yet.",
    ),
    (
        "status",
        "Glasfaser",
        "The fibre line to the boathouse is live since last week.",
        "Bootshaus Technik",
        "Die Glasfaserleitung zum Bootshaus ist noch nicht freigeschaltet.",
    ),
    (
        "status",
        "Brandmelder Archiv",
        "Die Brandmelder im Archiv sind eingebaut und geprüft.",
        "Archiv Begehung",
        "Im Archiv fehlen die Brandmelder noch immer, sie sind noch nicht eingebaut.",
    ),
    (
        "status",
        "Telefax",
        "The fax machine in the registry is no longer in use.",
        "Registratur",
        "Das Faxgerät in der Registratur ist weiter in Betrieb, Anträge werden dort angenommen.",
    ),
    (
        "negation",
        "Haustiere",
        "In den Ferienwohnungen sind Haustiere nicht gestattet, auch keine kleinen.",
        "Holiday flats FAQ",
        "Small pets are welcome in the holiday flats.",
    ),
    (
        "negation",
        "Private phones",
        "Private phones must not be connected to the workshop network.",
        "Werkstattnetz",
        "Private Telefone können ebenfalls mit dem Werkstattnetz verbunden werden.",
    ),
    (
        "negation",
        "Fotografieren",
        "Photography is prohibited in the exhibition.",
        "Ausstellung Hinweise",
        "Fotografieren ist in der Ausstellung ohne Blitz erlaubt.",
    ),
    (
        "negation",
        "Unterschrift",
        "Bestellungen unter 100 Euro brauchen keine Unterschrift der Leitung.",
        "Ordering",
        "All orders must be signed by the head of unit, small ones too.",
    ),
    (
        "negation",
        "Parkausweis",
        "Für den Hof ist ein Parkausweis erforderlich.",
        "Parking",
        "No permit is needed to park in the yard.",
    ),
    (
        "negation",
        "Freigabe",
        "Änderungen am Lehrplan müssen immer von der Fachleitung freigegeben werden.",
        "Lehrplan ändern",
        "Lehrplanänderungen können direkt eingetragen werden, eine Freigabe der Fachleitung ist nicht nötig.",
    ),
    (
        "negation",
        "Gastkonten",
        "Guest accounts cannot print.",
        "Drucken für Gäste",
        "Gastkonten können am Drucker im Foyer drucken.",
    ),
    (
        "procedure",
        "Rechnungsprüfung",
        "Rechnungen werden automatisch mit der Bestellung abgeglichen.",
        "Checking invoices",
        "Each invoice is compared with the order by hand.",
    ),
    (
        "procedure",
        "Schlüsselverlust",
        "Einen verlorenen Transponder sperrt ausschließlich die Hausverwaltung.",
        "Lost transponder",
        "You can block a lost transponder yourself in the tenant portal.",
    ),
    (
        "procedure",
        "Bewässerung",
        "The irrigation valves open automatically at dawn.",
        "Gewächshaus Dienst",
        "Die Bewässerungsventile werden morgens von Hand geöffnet.",
    ),
    (
        "procedure",
        "Kennwort vergessen",
        "Ein vergessenes Kennwort setzt nur der Service Desk zurück, nach einem Anruf.",
        "Forgotten password",
        "You can reset a forgotten password yourself on the sign-in page.",
    ),
    (
        "status",
        "Terminkalender",
        "Den Hallenkalender pflegt das Sportamt.",
        "Hall calendar",
        "The hall calendar is maintained by the club office.",
    ),
    (
        "status",
        "Website",
        "The museum website is run by the marketing team.",
        "Museumswebseite",
        "Verantwortlich für die Museumswebseite ist die IT-Abteilung.",
    ),
    (
        "status",
        "Label printer",
        "Team Versand betreut die Etikettendrucker.",
        "Etikettendrucker",
        "Die Etikettendrucker werden von der IT betreut.",
    ),
    ("status", "Wiki", "Owner of the wiki is Jana Petersen.", "Wiki-Regeln", "Das Wiki verantwortet Tom Albers."),
)
_LOOK_ALIKE = (
    ("Server Ahorn", "Der Server Ahorn wurde abgeschaltet.", "Server Birke", "Server Birke ist in Betrieb."),
    (
        "Testkasse",
        "Auf dem Testsystem ist die Kasse noch nicht eingerichtet.",
        "Kasse Produktion",
        "Die Kasse ist in der Produktion eingerichtet.",
    ),
    ("Umzug", "Das Archiv soll im Frühjahr abgeschaltet werden.", "Archiv", "Das Archiv ist in Betrieb."),
    (
        "Drucker 4711",
        "Wenn der Drucker ausgeschaltet ist, leuchtet keine Lampe.",
        "Drucker",
        "Der Drucker ist eingeschaltet, sobald die Lampe leuchtet.",
    ),
    (
        "Backup status",
        "Yesterday the backup job was switched off for an hour during the move.",
        "Backup",
        "The backup job is active every night.",
    ),
    (
        "VPN alt",
        "The old VPN was decommissioned in March.",
        "VPN neu",
        "The new VPN is in operation and works on all devices.",
    ),
    ("Kurs A", "Der Kurs Aquarell ist abgeschlossen.", "Kurs B", "Der Kurs Töpfern steht noch aus."),
    ("Essen im Labor", "Im Labor darf nicht gegessen werden.", "Pausenraum", "Im Pausenraum darf gegessen werden."),
    (
        "Antrag",
        "Für Standardgeräte ist kein Antrag nötig.",
        "Antrag Sondergerät",
        "Für Sondergeräte ist ein Antrag nötig.",
    ),
    (
        "Kleinbeträge",
        "Unter 50 Euro ist keine Genehmigung erforderlich.",
        "Beschaffung",
        "Ab 500 Euro ist eine Genehmigung erforderlich.",
    ),
    ("Kamera", "Die Kamera nimmt keinen Ton auf.", "Kameras", "Die Kamera nimmt Bilder in Farbe auf."),
    (
        "Formular",
        "Das Formular nicht per Mail schicken, sondern im Portal hochladen.",
        "Form",
        "Upload the form in the portal.",
    ),
    ("Schlüsseldienst", "Schlüssel werden nicht verschickt.", "Keys", "Keys can be picked up at the reception."),
    (
        "Urlaub",
        "Im Dezember wird kein Urlaub genehmigt.",
        "Leave",
        "Leave can be requested in the portal at any time; your manager approves it.",
    ),
    ("Rabatt", "Der Rabatt gilt nicht für Bücher.", "Discount", "The discount applies to all games and puzzles."),
    (
        "Updates Server",
        "Server werden von Hand aktualisiert.",
        "Updates Laptops",
        "Laptops werden automatisch aktualisiert.",
    ),
    ("Heizung", "Die Heizung schaltet sich automatisch ab.", "Lüftung", "Die Lüftung wird von Hand abgeschaltet."),
    (
        "Konto sperren",
        "Ein gesperrtes Konto entsperrt nur der Service Desk.",
        "Password",
        "You can change your password yourself at any time.",
    ),
    (
        "Rechnungen",
        "Rechnungen werden auf Papier archiviert.",
        "Lieferscheine",
        "Lieferscheine werden nur digital archiviert.",
    ),
    (
        "Backup",
        "Backups run automatically. Restores are started by hand.",
        "Restore",
        "Eine Wiederherstellung wird von Hand gestartet.",
    ),
    ("Ausdruck", "Der Ausdruck startet automatisch.", "Drucken", "Papier von Hand nachlegen, bis die Lampe erlischt."),
    (
        "Sportamt",
        "Den Hallenkalender pflegt das Sportamt.",
        "Hall calendar",
        "The hall calendar is maintained by the sports office.",
    ),
    (
        "Vertretung",
        "Für das Wiki ist Jana Petersen zuständig.",
        "Wiki Vertretung",
        "Die Vertretung für das Wiki übernimmt Tom Albers.",
    ),
    ("Frühere", "Bis März war Herr Kolb für die Kasse zuständig.", "Kasse", "Für die Kasse ist Frau Lind zuständig."),
    (
        "Datenbank",
        "Die Datenbank betreut das Team Daten.",
        "Datenbankserver",
        "Das Betriebssystem des Servers betreut das Team Linux.",
    ),
    (
        "Drucker Halle",
        "Die Drucker in Halle 2 betreut das Team Versand.",
        "Drucker Büro",
        "Die Drucker im Büro betreut die IT.",
    ),
    (
        "Responsibility",
        "Every user is responsible for their own password.",
        "Kennwörter",
        "Für das Zurücksetzen von Kennwörtern ist der Service Desk zuständig.",
    ),
    ("Belongs", "The spare key belongs in the safe.", "Schlüssel", "Der Ersatzschlüssel gehört dem Hausmeister."),
    (
        "Bestellung",
        "Verantwortlich für die Bestellung ist die Abteilung Einkauf.",
        "Orders",
        "The purchasing department is in charge of orders.",
    ),
    (
        "Abrechnung",
        "The team leads are responsible for approving time sheets.",
        "Zeiterfassung",
        "Für das System der Zeiterfassung ist die Personalabteilung verantwortlich.",
    ),
)


@pytest.fixture(scope="module")
def words() -> WordVectors:
    return WordVectors()


def _between(words: WordVectors, a_title: str, a: str, b_title: str, b: str) -> list[contradictions.Contradiction]:
    left, right = note("a", a + "\n", title=a_title), note("b", b + "\n", title=b_title)
    found = contradictions.between(left, right, words=words)
    assert {c.id for c in contradictions.between(right, left, words=words)} == {c.id for c in found}
    return found


@pytest.mark.parametrize(("kind", "a_title", "a", "b_title", "b"), _CONTRADICT, ids=lambda v: v if len(v) < 30 else "")
def test_opposite_statements_contradict(
    kind: str, a_title: str, a: str, b_title: str, b: str, words: WordVectors
) -> None:
    [top, *_] = _between(words, a_title, a, b_title, b)
    assert top.kind == kind
    assert top.a_quote in a
    assert top.b_quote in b


@pytest.mark.parametrize(("a_title", "a", "b_title", "b"), _LOOK_ALIKE, ids=lambda v: v if len(v) < 30 else "")
def test_what_only_looks_opposite_does_not(a_title: str, a: str, b_title: str, b: str, words: WordVectors) -> None:
    assert _between(words, a_title, a, b_title, b) == []


@pytest.mark.parametrize(
    ("clause", "concept", "sign"),
    [
        ("Der Zugang ist noch nicht freigeschaltet.", "active", -1),
        ("The terminal is not connected yet.", "active", -1),
        ("Die Annahmestelle gibt es nicht mehr.", "active", -1),
        ("The old scanner is still used in the basement.", "active", 1),
        ("Das Abonnement läuft im Juni aus.", "renewed", -1),
        ("The lease was extended by a year.", "renewed", 1),
        ("Ausweise sperrt ausschließlich der Empfang.", "self", -1),
        ("Badges can only be issued by the front desk.", "self", -1),
        ("Print the label yourself.", "self", 1),
        ("Anträge sind nur auf Papier möglich.", "paper", 1),
        ("Paper forms are no longer accepted.", "paper", -1),
        ("Getragene Ware nehmen wir nicht zurück.", "allow", -1),
        ("Used bottles are not returned to the shelf.", "allow", -1),
        ("Freigaben laufen ausnahmslos über die Fachleitung.", "require", 1),
        ("Der Beleg wird von Hand erfasst, nicht gescannt.", "automatic", -1),
        ("The door opens automatically, you never touch a handle.", "automatic", 1),
    ],
)
def test_what_a_clause_affirms_or_denies(clause: str, concept: str, sign: int) -> None:
    assert dict(polarity.of(clause).states).get(concept) == sign


def test_a_denial_that_is_repeated_is_no_double_negation() -> None:
    assert polarity.of("Haustiere werden nicht aufgenommen, auch nicht auf Wunsch").negated
    assert polarity.of("Pets are not admitted, not even small ones").negated


def test_a_change_that_lasts_is_told_from_one_for_a_while() -> None:
    assert polarity.of("Der Schrank wurde im Mai abgebaut").settled
    assert polarity.of("The kiosk was switched off in May").settled
    assert not polarity.of("The kiosk was briefly switched off").settled
    assert not polarity.of("Der Schrank wurde im Mai gestrichen").settled


@pytest.mark.parametrize(
    ("clause", "holder", "person"),
    [
        ("Den Dienstplan pflegt das Sekretariat.", "Sekretariat", False),
        ("Für die Pumpen ist die Werkstatt zuständig.", "Werkstatt", False),
        ("Die Pumpen werden von der Haustechnik gewartet.", "Haustechnik", False),
        ("Zuständig für die Pumpen ist Frau Weiß.", "Frau Weiß", True),
        ("Die Schaukästen gehören zum Bereich Presse.", "Bereich Presse", False),
        ("The pumps are looked after by the workshop.", "workshop", False),
        ("Mr Hale is responsible for the pumps.", "Mr Hale", True),
        ("The showcases belong to the press office.", "press office", False),
        ("Owner: Team Lager", "Team Lager", False),
    ],
)
def test_who_is_in_charge(clause: str, holder: str, person: bool) -> None:
    found = owners.charge(clause)
    assert found is not None
    assert (found.holder, found.person) == (holder, person)


@pytest.mark.parametrize(
    "clause",
    [
        "Bis März war Herr Kolb für die Kasse zuständig.",
        "Die Vertretung übernimmt Frau Weiß.",
        "The spare key belongs in the safe.",
        "It runs every night.",
        "Every user is responsible for their own password.",
        "Für die Pumpen ist die Werkstatt nicht zuständig.",
    ],
)
def test_who_is_not_in_charge(clause: str) -> None:
    assert owners.charge(clause) is None


def test_holders_are_the_same_in_either_language(words: WordVectors) -> None:
    def differ(a: str, b: str) -> bool:
        return owners.differ(owners.Charge(a, (), False), owners.Charge(b, (), False), words)

    assert not differ("Abteilung Einkauf", "purchasing department")
    assert not differ("Haustechnik", "facility management")
    assert not differ("Team Telefonie", "telephony team")
    assert differ("Personalabteilung", "IT")
    assert differ("Sekretariat", "sales team")
    assert not owners.differ(owners.Charge("Frau Weiß", (), True), owners.Charge("IT", (), False), words)
