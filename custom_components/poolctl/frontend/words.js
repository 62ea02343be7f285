// The words of the cards that are not names or states of entities, in the order of KEYS; the
// last ones name what a card may show.

const KEYS = `
  pool description none settings history show cancel details all_well notice problem unknown last_seen
  no_answer last_readings since until stopping cooling starting priming filtering pump_off outputs idle
  gives_back hold_name keep_on keep_off until_given_back until_schedule give_back by_hand drums no_drums empty
  of_size refilled lasts limit clean_first cleaned pause pauses paused resume water no_reading now at day no_history planned ran of
  turnovers schedules chemistry lights equipment more fortnight month acid_used chlorine_used card_pool
  card_day card_water card_outputs card_drums
  through_cloud no_heating via_cloud next midnight warm_at measuring no_schedule silent
`.trim().split(/\s+/);

const CONTENTS = `
  pump heating spa lights outputs acid chlorine filter water_temperature ph orp ambient_temperature
`.trim().split(/\s+/);

// prettier-ignore
/** @type {Record<string, string[]>} */
const WORDS = {
  en: [
    "Pool", "Condition, day, water, outputs and drums of your pools", "No pool controller is set up.", "Settings", "History", "Show only", "Cancel", "Details", "All well", "Please note", "Check", "No data yet", "Last seen {time}", "The controller does not answer. Check its power and its network connection.", "Last readings", "Since {time}", "until {time}", "Stopping", "cooling the heater",
    "Starting", "priming the pump", "filtering", "pump off", "Outputs", "{number} off", "Gives back to their schedules: {names}", "Hold {name} …", "Keep on", "Keep off", "Until you give it back", "Until its schedule", "Give back now", "by hand", "Drums and filter", "This pool has no drums.", "empty", "of {size}", "The controller counts from a full drum of {size} again.", "lasts about {days}",
    "clean at {limit}", "measured from the first cleaning", "The load of the filter is counted from 0 again.", "Pause dosing", "Acid and chlorine are not dosed for this time; then automatic dosing goes on by itself.", "Dosing paused until {time}", "Resume dosing", "Water", "no reading", "measured now", "at {time}", "Today", "No history yet.", "planned", "ran", "{done} of {planned}",
    "{number} turnovers", "Schedules", "Dosing", "Lights", "Equipment", "More", "last 14 days", "last 30 days", "Acid used per day", "Chlorine used per day", "Whether all is well, in one sentence", "Today: what was planned and what really ran", "Readings with their good range and their age", "What runs and until when; switch and hold", "What is left in the drums, and the filter",
    "Through the cloud", "heating is not available", "via the cloud", "next: {name} {time}", "midnight", "warm at {time}", "measuring: needs 5 minutes of flow", "Off; it has no schedule", "No answer since {time}", "Pump", "Heating", "Spa", "Lights", "Other outputs", "Acid", "Chlorine", "Filter", "Water temperature", "pH", "ORP", "Air temperature",
  ],
  de: [
    "Pool", "Zustand, Tag, Wasser, Ausgänge und Kanister deiner Pools", "Es ist keine Poolsteuerung eingerichtet.", "Einstellungen", "Verlauf", "Nur anzeigen", "Abbrechen", "Details", "Alles in Ordnung", "Hinweis", "Bitte prüfen", "Noch keine Daten", "Zuletzt gesehen {time}", "Die Steuerung antwortet nicht. Prüfe ihre Stromversorgung und ihre Netzwerkverbindung.", "Letzte Messwerte",
    "Seit {time}", "bis {time}", "Stoppt", "Heizung kühlt ab", "Startet", "Pumpe saugt an", "filtert", "Pumpe aus", "Ausgänge", "{number} aus", "Zurück an die Zeitpläne: {names}", "{name} halten …", "Eingeschaltet lassen", "Ausgeschaltet lassen", "Bis du ihn zurückgibst", "Bis zum Zeitplan", "Jetzt zurückgeben", "von Hand", "Kanister und Filter", "Dieser Pool hat keine Kanister.", "leer",
    "von {size}", "Die Steuerung zählt wieder ab einem vollen Kanister mit {size}.", "reicht etwa {days}", "reinigen bei {limit}", "gemessen ab der ersten Reinigung", "Die Belastung des Filters wird wieder ab 0 gezählt.", "Dosierung pausieren", "So lange werden weder Säure noch Chlor dosiert; danach läuft die automatische Dosierung von selbst weiter.", "Dosierung pausiert bis {time}",
    "Dosierung fortsetzen", "Wasser", "kein Messwert", "gerade gemessen", "um {time}", "Heute", "Noch kein Verlauf.", "geplant", "gelaufen", "{done} von {planned}", "{number} Umwälzungen", "Zeitpläne", "Dosierung", "Beleuchtung", "Technik", "Weiteres", "letzte 14 Tage", "letzte 30 Tage", "Säureverbrauch pro Tag", "Chlorverbrauch pro Tag", "Ob alles in Ordnung ist, in einem Satz",
    "Heute: was geplant war und was wirklich lief", "Messwerte mit ihrem guten Bereich und ihrem Alter", "Was läuft und bis wann; schalten und halten", "Was in den Kanistern übrig ist, und der Filter", "Über die Cloud", "Heizen ist nicht möglich", "über die Cloud", "als Nächstes: {name} {time}", "Mitternacht", "warm um {time}", "misst: braucht 5 Minuten Durchfluss", "Aus; kein Zeitplan",
    "Keine Antwort seit {time}", "Pumpe", "Heizung", "Spa", "Beleuchtung", "Andere Ausgänge", "Säure", "Chlor", "Filter", "Wassertemperatur", "pH", "Redox", "Lufttemperatur",
  ],
  fr: [
    "Piscine", "État, journée, eau, sorties et bidons de vos piscines", "Aucun contrôleur de piscine n’est configuré.", "Paramètres", "Historique", "N’afficher que", "Annuler", "Détails", "Tout va bien", "À noter", "À vérifier", "Pas encore de données", "Vu pour la dernière fois : {time}", "Le contrôleur ne répond pas. Vérifiez son alimentation et sa connexion au réseau.", "Dernières mesures",
    "Depuis {time}", "jusqu’à {time}", "Arrêt en cours", "refroidissement du chauffage", "Démarrage", "amorçage de la pompe", "filtration", "pompe arrêtée", "Sorties", "{number} éteintes", "Rend à leurs programmes : {names}", "Maintenir {name}…", "Laisser allumé", "Laisser éteint", "Jusqu’à ce que vous la rendiez", "Jusqu’à son programme", "Rendre maintenant", "à la main", "Bidons et filtre",
    "Cette piscine n’a pas de bidons.", "vide", "sur {size}", "Le contrôleur recompte à partir d’un bidon plein de {size}.", "suffit pour environ {days}", "à nettoyer à {limit}", "mesuré dès le premier nettoyage", "L’encrassement du filtre est de nouveau compté à partir de 0.", "Mettre le dosage en pause",
    "Ni acide ni chlore ne sont dosés pendant ce temps ; ensuite, le dosage automatique reprend de lui-même.", "Dosage en pause jusqu’à {time}", "Reprendre le dosage", "Eau", "aucune mesure", "mesuré à l’instant", "à {time}", "Aujourd’hui", "Pas encore d’historique.", "prévu", "réel", "{done} sur {planned}", "{number} renouvellements", "Programmes", "Traitement", "Éclairage", "Équipements",
    "Autres", "14 derniers jours", "30 derniers jours", "Acide utilisé par jour", "Chlore utilisé par jour", "Si tout va bien, en une phrase", "Aujourd’hui : ce qui était prévu et ce qui a vraiment tourné", "Les mesures, leur bonne plage et leur ancienneté", "Ce qui tourne et jusqu’à quand ; commuter et maintenir", "Ce qui reste dans les bidons, et le filtre", "Par le cloud",
    "le chauffage n’est pas disponible", "par le cloud", "ensuite : {name} {time}", "minuit", "à température à {time}", "mesure en cours : 5 minutes de débit nécessaires", "Éteint ; sans programme", "Sans réponse depuis {time}", "Pompe", "Chauffage", "Spa", "Éclairage", "Autres sorties", "Acide", "Chlore", "Filtre", "Température de l’eau", "pH", "ORP", "Température de l’air",
  ],
  es: [
    "Piscina", "Estado, día, agua, salidas y bidones de tus piscinas", "No hay ningún controlador de piscina configurado.", "Ajustes", "Historial", "Mostrar solo", "Cancelar", "Detalles", "Todo bien", "Aviso", "Revisar", "Aún no hay datos", "Visto por última vez: {time}", "El controlador no responde. Comprueba su alimentación y su conexión de red.", "Últimas lecturas", "Desde {time}",
    "hasta {time}", "Parando", "enfriando el calentador", "Arrancando", "cebando la bomba", "filtrando", "bomba apagada", "Salidas", "{number} apagadas", "Devuelve a sus horarios: {names}", "Mantener {name}…", "Mantener encendido", "Mantener apagado", "Hasta que lo devuelvas", "Hasta su horario", "Devolver ahora", "a mano", "Bidones y filtro", "Esta piscina no tiene bidones.", "vacío",
    "de {size}", "El controlador vuelve a contar desde un bidón lleno de {size}.", "dura unos {days}", "limpiar al {limit}", "se mide desde la primera limpieza", "La carga del filtro vuelve a contarse desde 0.", "Pausar la dosificación", "Durante este tiempo no se dosifica ácido ni cloro; después, la dosificación automática continúa por sí sola.", "Dosificación en pausa hasta las {time}",
    "Reanudar la dosificación", "Agua", "sin lectura", "medido ahora", "a las {time}", "Hoy", "Aún no hay historial.", "previsto", "real", "{done} de {planned}", "{number} renovaciones", "Horarios", "Química", "Luces", "Equipos", "Más", "últimos 14 días", "últimos 30 días", "Ácido consumido por día", "Cloro consumido por día", "Si todo va bien, en una frase",
    "Hoy: lo previsto y lo que funcionó de verdad", "Lecturas con su rango bueno y su antigüedad", "Qué funciona y hasta cuándo; conmutar y mantener", "Lo que queda en los bidones, y el filtro", "A través de la nube", "la calefacción no está disponible", "a través de la nube", "después: {name} {time}", "medianoche", "caliente a las {time}", "midiendo: necesita 5 minutos de caudal",
    "Apagado; no tiene horario", "Sin respuesta desde {time}", "Bomba", "Calefacción", "Spa", "Luces", "Otras salidas", "Ácido", "Cloro", "Filtro", "Temperatura del agua", "pH", "ORP", "Temperatura del aire",
  ],
  it: [
    "Piscina", "Stato, giornata, acqua, uscite e taniche delle tue piscine", "Nessuna centralina piscina configurata.", "Impostazioni", "Cronologia", "Mostra solo", "Annulla", "Dettagli", "Tutto bene", "Avviso", "Da controllare", "Ancora nessun dato", "Ultimo contatto: {time}", "La centralina non risponde. Controlla l’alimentazione e la connessione di rete.", "Ultime misure", "Da {time}",
    "fino a {time}", "In arresto", "raffreddamento del riscaldatore", "In avvio", "adescamento della pompa", "filtrazione", "pompa spenta", "Uscite", "{number} spente", "Restituisce ai programmi: {names}", "Mantieni {name}…", "Tieni acceso", "Tieni spento", "Finché non la restituisci", "Fino al suo programma", "Restituisci ora", "a mano", "Taniche e filtro", "Questa piscina non ha taniche.",
    "vuota", "di {size}", "La centralina riparte da una tanica piena di {size}.", "dura circa {days}", "pulire al {limit}", "misurato dalla prima pulizia", "Il carico del filtro riparte da 0.", "Metti in pausa il dosaggio", "Per questo tempo non si dosano né acido né cloro; poi il dosaggio automatico riprende da solo.", "Dosaggio in pausa fino alle {time}", "Riprendi il dosaggio", "Acqua",
    "nessuna misura", "misurato ora", "alle {time}", "Oggi", "Ancora nessuna cronologia.", "previsto", "effettivo", "{done} di {planned}", "{number} ricambi", "Programmi", "Chimica", "Luci", "Apparecchiature", "Altro", "ultimi 14 giorni", "ultimi 30 giorni", "Acido consumato al giorno", "Cloro consumato al giorno", "Se va tutto bene, in una frase",
    "Oggi: cosa era previsto e cosa ha funzionato davvero", "Misure con l’intervallo buono e la loro età", "Cosa è in funzione e fino a quando; commutare e mantenere", "Cosa resta nelle taniche, e il filtro", "Tramite il cloud", "il riscaldamento non è disponibile", "tramite il cloud", "poi: {name} {time}", "mezzanotte", "calda alle {time}", "in misura: servono 5 minuti di portata",
    "Spenta; non ha programmi", "Nessuna risposta da {time}", "Pompa", "Riscaldamento", "Spa", "Luci", "Altre uscite", "Acido", "Cloro", "Filtro", "Temperatura dell’acqua", "pH", "ORP", "Temperatura dell’aria",
  ],
  nl: [
    "Zwembad", "Toestand, dag, water, uitgangen en vaten van je zwembaden", "Er is geen zwembadbesturing ingesteld.", "Instellingen", "Geschiedenis", "Alleen tonen", "Annuleren", "Details", "Alles in orde", "Let op", "Controleren", "Nog geen gegevens", "Laatst gezien {time}", "De besturing antwoordt niet. Controleer de voeding en de netwerkverbinding.", "Laatste metingen", "Sinds {time}",
    "tot {time}", "Stopt", "verwarming koelt af", "Start", "pomp zuigt aan", "filtert", "pomp uit", "Uitgangen", "{number} uit", "Geeft terug aan hun schema’s: {names}", "{name} vasthouden …", "Aan houden", "Uit houden", "Tot je hem teruggeeft", "Tot het schema", "Nu teruggeven", "met de hand", "Vaten en filter", "Dit zwembad heeft geen vaten.", "leeg", "van {size}",
    "De besturing telt weer vanaf een vol vat van {size}.", "reikt ongeveer {days}", "reinigen bij {limit}", "gemeten vanaf de eerste reiniging", "De belasting van het filter wordt weer vanaf 0 geteld.", "Dosering pauzeren", "Zolang wordt er geen zuur of chloor gedoseerd; daarna gaat de automatische dosering vanzelf verder.", "Dosering gepauzeerd tot {time}", "Dosering hervatten", "Water",
    "geen meting", "nu gemeten", "om {time}", "Vandaag", "Nog geen geschiedenis.", "gepland", "gelopen", "{done} van {planned}", "{number} omlopen", "Schema’s", "Waterbehandeling", "Verlichting", "Apparatuur", "Meer", "laatste 14 dagen", "laatste 30 dagen", "Zuur verbruikt per dag", "Chloor verbruikt per dag", "Of alles in orde is, in één zin", "Vandaag: wat gepland was en wat echt liep",
    "Metingen met hun goede bereik en hun leeftijd", "Wat loopt en tot wanneer; schakelen en vasthouden", "Wat er in de vaten over is, en het filter", "Via de cloud", "verwarmen is niet beschikbaar", "via de cloud", "hierna: {name} {time}", "middernacht", "warm om {time}", "meet: heeft 5 minuten doorstroming nodig", "Uit; geen schema", "Geen antwoord sinds {time}", "Pomp", "Verwarming", "Spa",
    "Verlichting", "Andere uitgangen", "Zuur", "Chloor", "Filter", "Watertemperatuur", "pH", "ORP", "Luchttemperatuur",
  ],
  pt: [
    "Piscina", "Condição, dia, água, saídas e galões das suas piscinas", "Nenhum controlador de piscina está configurado.", "Configurações", "Histórico", "Mostrar somente", "Cancelar", "Detalhes", "Tudo bem", "Aviso", "Verificar", "Ainda sem dados", "Visto pela última vez: {time}", "O controlador não responde. Verifique a alimentação e a conexão de rede.", "Últimas leituras", "Desde {time}",
    "até {time}", "Parando", "resfriando o aquecedor", "Iniciando", "escorvando a bomba", "filtrando", "bomba desligada", "Saídas", "{number} desligadas", "Devolve às programações: {names}", "Manter {name}…", "Manter ligado", "Manter desligado", "Até você devolver", "Até a programação", "Devolver agora", "à mão", "Galões e filtro", "Esta piscina não tem galões.", "vazio", "de {size}",
    "O controlador volta a contar a partir de um galão cheio de {size}.", "dura cerca de {days}", "limpar em {limit}", "medido desde a primeira limpeza", "A carga do filtro volta a ser contada a partir de 0.", "Pausar a dosagem", "Durante este tempo não se dosa ácido nem cloro; depois, a dosagem automática continua sozinha.", "Dosagem em pausa até {time}", "Retomar a dosagem", "Água",
    "sem leitura", "medido agora", "às {time}", "Hoje", "Ainda sem histórico.", "previsto", "real", "{done} de {planned}", "{number} renovações", "Programações", "Química", "Luzes", "Equipamentos", "Mais", "últimos 14 dias", "últimos 30 dias", "Ácido usado por dia", "Cloro usado por dia", "Se está tudo bem, em uma frase", "Hoje: o que estava previsto e o que realmente funcionou",
    "Leituras com a faixa boa e a idade", "O que funciona e até quando; alternar e manter", "O que resta nos galões, e o filtro", "Pela nuvem", "o aquecimento não está disponível", "pela nuvem", "depois: {name} {time}", "meia-noite", "quente às {time}", "medindo: precisa de 5 minutos de vazão", "Desligada; sem programação", "Sem resposta desde {time}", "Bomba", "Aquecimento", "Spa", "Luzes",
    "Outras saídas", "Ácido", "Cloro", "Filtro", "Temperatura da água", "pH", "ORP", "Temperatura do ar",
  ],
  cs: [
    "Bazén", "Stav, den, voda, výstupy a kanystry vašich bazénů", "Není nastavena žádná řídicí jednotka bazénu.", "Nastavení", "Historie", "Zobrazit jen", "Zrušit", "Podrobnosti", "Vše v pořádku", "Upozornění", "Zkontrolujte", "Zatím žádná data", "Naposledy: {time}", "Řídicí jednotka neodpovídá. Zkontrolujte její napájení a připojení k síti.", "Poslední hodnoty", "Od {time}", "do {time}",
    "Zastavuje", "ohřívač se ochlazuje", "Spouští se", "čerpadlo nasává", "filtruje", "čerpadlo vypnuto", "Výstupy", "Vypnuto: {number}", "Vrátí plánům: {names}", "Podržet {name}…", "Nechat zapnuté", "Nechat vypnuté", "Dokud ho nevrátíte", "Do plánu", "Vrátit nyní", "ručně", "Kanystry a filtr", "Tento bazén nemá kanystry.", "prázdný", "z {size}",
    "Řídicí jednotka počítá znovu od plného kanystru {size}.", "vydrží asi {days}", "vyčistit při {limit}", "měří se od prvního čištění", "Zanesení filtru se počítá znovu od 0.", "Pozastavit dávkování", "Po tuto dobu se nedávkuje kyselina ani chlor; potom automatické dávkování samo pokračuje.", "Dávkování pozastaveno do {time}", "Obnovit dávkování", "Voda", "žádná hodnota", "právě měřeno",
    "v {time}", "Dnes", "Zatím žádná historie.", "plán", "skutečnost", "{done} z {planned}", "výměny vody: {number}", "Plány", "Chemie", "Světla", "Vybavení", "Další", "posledních 14 dní", "posledních 30 dní", "Spotřeba kyseliny za den", "Spotřeba chloru za den", "Zda je vše v pořádku, jednou větou", "Dnes: co bylo v plánu a co opravdu běželo", "Hodnoty s dobrým rozsahem a stářím",
    "Co běží a do kdy; přepnout a podržet", "Co zbývá v kanystrech, a filtr", "Přes cloud", "ohřev není k dispozici", "přes cloud", "potom: {name} {time}", "půlnoci", "ohřátá v {time}", "měří se: potřebuje 5 minut průtoku", "Vypnout; nemá plán", "Bez odpovědi od {time}", "Čerpadlo", "Ohřev", "Vířivka", "Světla", "Ostatní výstupy", "Kyselina", "Chlor", "Filtr", "Teplota vody", "pH", "ORP",
    "Teplota vzduchu",
  ],
  sv: [
    "Pool", "Tillstånd, dag, vatten, utgångar och dunkar för dina pooler", "Ingen poolstyrning är konfigurerad.", "Inställningar", "Historik", "Visa bara", "Avbryt", "Detaljer", "Allt är bra", "Obs", "Kontrollera", "Inga data än", "Sågs senast {time}", "Styrningen svarar inte. Kontrollera dess strömförsörjning och nätverksanslutning.", "Senaste mätvärden", "Sedan {time}", "till {time}",
    "Stannar", "värmaren svalnar", "Startar", "pumpen fylls", "filtrerar", "pumpen är av", "Utgångar", "{number} av", "Lämnar tillbaka till sina scheman: {names}", "Håll {name} …", "Håll på", "Håll av", "Tills du lämnar tillbaka den", "Till sitt schema", "Lämna tillbaka nu", "för hand", "Dunkar och filter", "Den här poolen har inga dunkar.", "tom", "av {size}",
    "Styrningen räknar från en full dunk på {size} igen.", "räcker ungefär {days}", "rengör vid {limit}", "mäts från första rengöringen", "Filtrets belastning räknas från 0 igen.", "Pausa doseringen", "Under tiden doseras varken syra eller klor; sedan fortsätter den automatiska doseringen av sig själv.", "Doseringen pausad till {time}", "Återuppta doseringen", "Vatten", "inget mätvärde",
    "mäts nu", "kl. {time}", "I dag", "Ingen historik än.", "planerat", "verkligt", "{done} av {planned}", "{number} omsättningar", "Scheman", "Poolkemi", "Belysning", "Utrustning", "Mer", "senaste 14 dagarna", "senaste 30 dagarna", "Syraförbrukning per dag", "Klorförbrukning per dag", "Om allt är bra, i en mening", "I dag: vad som planerades och vad som verkligen gick",
    "Mätvärden med bra område och ålder", "Vad som går och till när; slå om och håll", "Vad som finns kvar i dunkarna, och filtret", "Via molnet", "uppvärmning är inte tillgänglig", "via molnet", "därefter: {name} {time}", "midnatt", "varm kl. {time}", "mäter: behöver 5 minuters flöde", "Av; den har inget schema", "Inget svar sedan {time}", "Pump", "Värme", "Spa", "Belysning", "Andra utgångar",
    "Syra", "Klor", "Filter", "Vattentemperatur", "pH", "ORP", "Lufttemperatur",
  ],
};

/** @typedef {Record<string, string> & { contents: Record<string, string> }} Words */

/** Return the words of a language such as "en-GB"; English where there are none. @type {(language?: string) => Words} */
export function words(language = "en") {
  const row = WORDS[language.split("-")[0]] ?? WORDS.en;
  const found = Object.fromEntries(KEYS.map((key, at) => [key, row[at]]));
  const contents = Object.fromEntries(CONTENTS.map((key, at) => [key, row[KEYS.length + at]]));
  return /** @type {Words} */ (Object.assign(found, { contents }));
}

/** Put values into a text: "until {time}". @type {(text: string, values: Record<string, string>) => string} */
export const fill = (text, values) => text.replace(/\{(\w+)\}/g, (all, key) => values[key] ?? all);
