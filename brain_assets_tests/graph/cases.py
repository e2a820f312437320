"""Pairs of short notes from many walks of life: what contradicts, and what only looks like it."""

from __future__ import annotations

from typing import NamedTuple


class Case(NamedTuple):
    """`kind` is the kind of contradiction between the two notes, empty for none; a title may end in {status}."""

    name: str
    kind: str
    a_title: str
    a: str
    b_title: str
    b: str


CASES: tuple[Case, ...] = (
    # values that conflict
    Case("visiting hours", "number", "Besuchszeiten Station 4", "Besuch ist auf der Station willkommen.\n\nDie Besuchszeit endet um 19:00 Uhr. Kinder dürfen mitkommen.",
         "Visitors on ward 4", "Please ring the bell at the ward door.\n\nVisiting time ends at 20:30. Flowers in pots are not welcome."),
    Case("loan period", "number", "Ausleihe", "Bücher werden vier Wochen verliehen. Verlängern geht zweimal.\n\nFür Spiele gilt dieselbe Gebühr.",
         "Borrowing rules", "# Borrowing\n\nThe loan period for books is 21 days. Games go out for the weekend."),
    Case("fermentation temperature", "number", "Gärführung Kellerbier", "Die Hauptgärung des Kellerbiers läuft bei 9 Grad.\n\nDanach wird geschlaucht.",
         "Kellerbier Sudprotokoll Hinweise", "Hefe vorher aufziehen. Die Hauptgärung beim Kellerbier wird bei 12 °C geführt."),
    Case("membership fee", "number", "Beiträge", "Der Jahresbeitrag für Erwachsene beträgt 96 Euro. Familien zahlen 150 Euro.",
         "Join the club", "Fill in the form at the desk. The annual fee for adults is 84 euros, paid in January."),
    Case("timetable server", "host", "Stundenplanprogramm", "Das Programm läuft auf `plan.schule.example.org`. Anmeldung mit dem Lehrerkonto.\n\nDer Stundenplan wird vom Server `db-plan1.schule.example.org` gelesen.",
         "Stundenplan exportieren", "1. Programm öffnen.\n2. Als Server für den Stundenplan `db-plan2.schule.example.org` eintragen.\n3. Export wählen."),
    Case("dicom port", "number", "PACS-Anbindung", "Röntgengeräte schicken ihre Bilder an das PACS.\n\nDas PACS nimmt DICOM auf Port 11112 an.",
         "Neues Röntgengerät anschließen", "Im Gerät das PACS eintragen: DICOM Port 104, AE-Titel `ARCHIV`."),
    Case("opening date", "date", "Sonderausstellung Bernstein", "Die Sonderausstellung Bernstein öffnet am 6. März 2027.\n\nDie Vitrinen kommen eine Woche vorher.",
         "Amber exhibition, press", "Posters are printed. The amber special exhibition opens on 13 March 2027 with a speech by the mayor."),
    Case("bin collection", "date", "Müllabfuhr", "Die Papiertonne wird dienstags geleert. Abends vorher hinausstellen.",
         "Hausordnung", "Die Papiertonne wird donnerstags geleert, die Restmülltonne alle zwei Wochen."),
    Case("runtime version", "version", "Kassensystem", "Die Kassen laufen mit Ladora 5.2. Das Update spielt der Händler ein.",
         "Till workstations", "Each till has two drawers. The tills run Ladora 4.8 and print on thermal paper."),
    Case("library version", "version", "Terrain pipeline", "The terrain pipeline needs GDAL 3.9, installed from the package source.",
         "Geländemodell rechnen", "Für die Geländepipeline wird GDAL 3.6 gebraucht. Rechenzeit rund vier Stunden."),
    Case("watering time", "number", "Gewächshaus", "Die Bewässerung im Gewächshaus startet um 06:00 Uhr.\n\nDer Tank fasst 800 Liter.",
         "Greenhouse automation", "A small controller opens the valve. Watering in the greenhouse starts at 04:30 so that leaves dry before noon."),
    Case("tank volume", "number", "Regenwassertank", "Der Regenwassertank fasst 3.000 Liter.",
         "Rain water", "The rain water tank holds 2,500 litres. Clean the filter twice a year."),
    Case("max group size", "number", "Führungen", "Eine Gruppe darf höchstens 20 Personen haben. Anmeldung am Schalter.",
         "Guided tours", "Groups of up to 25 people are admitted per tour. Audio guides are free."),
    Case("response time", "number", "Notdienst Aufzug", "Bei eingeschlossenen Personen kommt der Notdienst für den Aufzug innerhalb von 30 Minuten.",
         "Lift emergency", "Press the alarm button. The lift emergency service arrives within one hour when people are trapped."),
    Case("password history", "number", "Kontorichtlinie Schule", "Die letzten fünf Kennwörter dürfen nicht wieder verwendet werden.",
         "Account policy", "The last ten passwords cannot be reused. Choose a sentence you can remember."),
    Case("controller address", "host", "Heizungsregler", "Der Heizungsregler hat die Adresse 198.51.100.20. Zugang nur aus dem Hausnetz.",
         "Heating notes", "Two pumps, one mixer. The heating controller answers at 198.51.100.23, user `service`."),
    # yes and no
    Case("helmets", "negation", "Klettergarten Regeln", "Im Klettergarten ist ein Helm vorgeschrieben.\n\nSchuhe mit Profil sind von Vorteil.",
         "Climbing garden FAQ", "**Do I need a helmet?** No helmet is required in the climbing garden. Bring closed shoes."),
    Case("dogs", "negation", "Campingplatz", "Hunde sind auf dem Campingplatz nicht erlaubt.\n\nDie Rezeption schließt um 20 Uhr.",
         "Camp site information", "Dogs are allowed on the camp site if they are kept on a lead."),
    Case("cash", "status", "Kantine Bezahlung", "Die Kantine akzeptiert kein Bargeld mehr. Karten gibt es am Empfang.",
         "Paying for lunch", "The canteen still accepts cash at the second till."),
    Case("guest network", "status", "Gastnetz Turnhalle", "Das Gastnetz in der Turnhalle ist seit Mai abgeschaltet.",
         "Wi-Fi for events", "The guest network in the sports hall is enabled for every event; ask for the voucher."),
    Case("backup of lab", "status", "Laborrechner", "Die Sicherung der Laborrechner ist eingerichtet und läuft jede Nacht.",
         "Lab computers, open points", "- Screens are too small.\n- The backup of the lab computers has not been set up yet."),
    Case("vaccination proof", "negation", "Anmeldung Ferienlager", "Für das Ferienlager wird ein Impfnachweis benötigt.",
         "Summer camp checklist", "Sleeping bag, torch, health card. A vaccination record is not needed for the summer camp."),
    # ways of doing
    Case("meter readings", "procedure", "Zählerstände", "Die Zählerstände werden automatisch an den Versorger übertragen. Niemand muss ablesen.",
         "Meter readings", "Every tenant has to read the meter by hand and send the reading to the utility in December."),
    Case("sick note", "procedure", "Krankmeldung", "Die Krankmeldung trägt das Sekretariat ein; Lehrkräfte haben darauf keinen Zugriff.",
         "Reporting sick", "Teachers enter the sick note themselves in the portal. The secretariat is not involved."),
    Case("room booking", "procedure", "Raumbuchung", "Räume bucht ausschließlich das Sekretariat.",
         "Booking a room", "Every member of staff may book rooms in the calendar without asking the secretariat."),
    # the same in other words, units, languages
    Case("same duration", "", "Ausleihe Musikinstrumente", "Instrumente werden zwei Wochen verliehen.",
         "Instrument loans", "Instruments are lent for 14 days."),
    Case("same size", "", "Druckdaten", "Dateien dürfen höchstens 1,5 GB groß sein.", "Print files", "A file may be at most 1500 MB."),
    Case("same date", "", "Sommerfest", "Das Sommerfest ist am 4. Juli 2026.", "Summer party", "The summer party takes place on 2026-07-04."),
    Case("same time", "", "Betriebsversammlung", "Die Betriebsversammlung beginnt um 14 Uhr.", "Works meeting", "The works meeting starts at 2 pm."),
    Case("same version", "", "Buchhaltung", "Die Buchhaltung arbeitet mit Fibula 12.", "Accounting update", "Accounting runs Fibula 12.3 since spring."),
    Case("about", "", "Fahrzeit", "Die Fahrt zum Lager dauert etwa 40 Minuten.", "Trip to the store", "The trip to the store takes 42 minutes."),
    Case("thousands", "", "Wassertank", "Der Tank fasst 1.200 Liter.", "Tank", "The tank holds 1,200 litres."),
    # another scope
    Case("other room", "", "Temperatur Serverraum", "Im Serverraum sind 22 Grad eingestellt.", "Büroklima", "In den Büros sind 20 Grad eingestellt."),
    Case("other group", "", "Jahresbeitrag", "Der Jahresbeitrag für Erwachsene beträgt 96 Euro.", "Jugendbeitrag", "Der Jahresbeitrag für Jugendliche beträgt 40 Euro."),
    Case("students", "", "Zugang Bibliothek", "Der Ausweis für Beschäftigte gilt fünf Jahre.", "Studierendenausweis", "Der Ausweis für Studierende gilt sechs Monate."),
    Case("staging", "", "Protokolle Produktion", "In der Produktion werden Protokolle 90 Tage aufbewahrt.", "Logs on staging", "Logs on staging are kept for 5 days."),
    Case("own rules", "", "Dienstwagen", "Dienstwagen werden alle vier Jahre getauscht. Für den Fuhrpark der Pflege gilt eine eigene Regel.",
         "Fuhrpark Pflege", "Die Wagen der Pflege werden alle sechs Jahre getauscht."),
    Case("level", "", "Reaktionszeiten", "Bei Stufe 1 reagiert die Technik in 15 Minuten.", "Reaktionszeiten Alltag", "Bei Stufe 3 reagiert die Technik in zwei Tagen."),
    Case("here", "", "Labeldrucker Versand", "Druckaufträge verfallen hier nach 10 Minuten. Mit dem Bürodruck haben die Geräte nichts zu tun.",
         "Bürodruck", "Druckaufträge verfallen nach zwei Tagen."),
    Case("other hall", "", "Halle 2", "In Halle 2 gilt Tempo 10.", "Halle 5", "In Halle 5 gilt Tempo 6."),
    # another time
    Case("superseded", "", "Hausordnung 2019 {veraltet}", "Ruhezeit ist ab 21 Uhr.", "Hausordnung 2024", "Ruhezeit ist ab 22 Uhr."),
    Case("replaced in words", "", "Schließplan alt", "Ersetzt durch [[Schließplan]]. Die Werkstatt schließt um 16 Uhr.", "Schließplan", "Die Werkstatt schließt um 17 Uhr."),
    Case("planned", "", "Kassenumstellung {geplant}", "Die Kassen sollen auf Ladora 6.0 umgestellt werden.", "Kassen", "Die Kassen laufen mit Ladora 5.2."),
    Case("planned in words", "", "Umzug der Webseite", "Die Webseite soll im Herbst auf `web3.example.org` umziehen.", "Webseite", "Die Webseite liegt auf `web1.example.org`."),
    Case("used to", "", "Kantine früher", "Früher kostete das Mittagessen 4 Euro.", "Kantine", "Das Mittagessen kostet 6 Euro."),
    Case("issues of a series", "", "Wochenbericht 2026-05-04", "Belegung der Betten: 81 Prozent.", "Wochenbericht 2026-05-11", "Belegung der Betten: 87 Prozent."),
    Case("an event", "", "Tagebuch 12. Mai", "Der Lauf war um 05:40 fertig.", "Nachtlauf", "Der Lauf startet um 02:00 und ist vor 06:00 fertig."),
    Case("change done", "", "Umstellung Heizung", "Am 3. Mai wurde die Vorlauftemperatur von 60 auf 52 Grad gesenkt.", "Heizung", "Die Vorlauftemperatur beträgt 52 Grad."),
    # another thing
    Case("other attribute", "", "Drucker im Flur", "Der Drucker zieht 250 Blatt ein.", "Druckerfach", "Papier wird in Paketen zu 500 Blatt geliefert."),
    Case("other appliance", "", "Kühlschrank Labor", "Der Kühlschrank steht auf 4 Grad.", "Gefrierschrank Labor", "Der Gefrierschrank steht auf minus 20 Grad."),
    Case("other sign-up", "", "Schwimmkurs", "Für den Schwimmkurs ist eine Anmeldung nötig.", "Lauftreff", "Für den Lauftreff ist keine Anmeldung nötig."),
    Case("other ban", "", "Bibliothek", "Essen ist im Lesesaal nicht erlaubt.", "Cafeteria", "Essen ist in der Cafeteria erlaubt."),
    Case("two certificates", "", "Zertifikat Webseite", "Das Zertifikat der Webseite gilt 90 Tage.", "Zertifikat Erste Hilfe", "Das Zertifikat über Erste Hilfe gilt zwei Jahre."),
    Case("no connection", "", "Gästeparkplatz", "Auf dem Gästeparkplatz gibt es keine Ladesäule.", "Ladesäulen", "Ladesäulen für Dienstwagen stehen in der Tiefgarage."),
    Case("negation of another word", "", "Schichtbuch", "Das Schichtbuch wird täglich geführt, Eintragungen werden nicht gelöscht.", "Schichtbuch Ablage", "Das Schichtbuch wird täglich geführt und am Monatsende abgelegt."),
    Case("question", "", "Häufige Fragen Schwimmbad", "Kein Schrank frei?", "Schwimmbad", "Schränke sind frei wählbar."),
    Case("limits of two kinds", "", "Postfach", "Das Postfach fasst 20 GB.", "Anhänge", "Ein Anhang darf höchstens 25 MB groß sein."),
    Case("both may be true", "", "Wanderweg", "Der Rundweg ist 8 km lang.", "Hütte", "Die Hütte liegt 3 km vom Parkplatz entfernt."),
    Case("minimum and maximum", "", "Teilnehmer Kurs", "Der Kurs braucht mindestens 6 Teilnehmer.", "Kursgröße", "Am Kurs können höchstens 12 Teilnehmer mitmachen."),
    Case("different doors", "", "Haupteingang", "Der Haupteingang schließt um 18 Uhr.", "Seiteneingang", "Der Seiteneingang schließt um 16 Uhr."),
)  # fmt: skip
