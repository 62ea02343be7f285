// The few words of the dashboard that are no entity's name, in the order of KEYS.

const KEYS = [
  "pool",
  "description",
  "none",
  "water",
  "pump",
  "heating",
  "lights",
  "chemistry",
  "schedules",
  "equipment",
  "status",
  "history",
];

// prettier-ignore
const WORDS = {
  en: ["Pool", "Water, pump, heating, lights, chemistry and schedules of your pools", "No pool controller is set up.",
    "Water", "Pump", "Heating", "Lights", "Chemistry", "Schedules", "Equipment", "Status", "History"],
  de: ["Pool", "Wasser, Pumpe, Heizung, Beleuchtung, Dosierung und Zeitpläne deiner Pools", "Es ist keine Poolsteuerung eingerichtet.",
    "Wasser", "Pumpe", "Heizung", "Beleuchtung", "Dosierung", "Zeitpläne", "Technik", "Status", "Verlauf"],
  fr: ["Piscine", "Eau, pompe, chauffage, éclairage, traitement et programmes de vos piscines", "Aucun contrôleur de piscine n’est configuré.",
    "Eau", "Pompe", "Chauffage", "Éclairage", "Traitement", "Programmes", "Équipements", "État", "Historique"],
  es: ["Piscina", "Agua, bomba, calefacción, luces, química y horarios de tus piscinas", "No hay ningún controlador de piscina configurado.",
    "Agua", "Bomba", "Calefacción", "Luces", "Química", "Horarios", "Equipos", "Estado", "Historial"],
  it: ["Piscina", "Acqua, pompa, riscaldamento, luci, chimica e programmi delle tue piscine", "Nessuna centralina piscina configurata.",
    "Acqua", "Pompa", "Riscaldamento", "Luci", "Chimica", "Programmi", "Apparecchiature", "Stato", "Cronologia"],
  nl: ["Zwembad", "Water, pomp, verwarming, verlichting, waterbehandeling en schema’s van je zwembaden", "Er is geen zwembadbesturing ingesteld.",
    "Water", "Pomp", "Verwarming", "Verlichting", "Waterbehandeling", "Schema’s", "Apparatuur", "Status", "Geschiedenis"],
  pt: ["Piscina", "Água, bomba, aquecimento, luzes, química e programações das suas piscinas", "Nenhum controlador de piscina está configurado.",
    "Água", "Bomba", "Aquecimento", "Luzes", "Química", "Programações", "Equipamentos", "Status", "Histórico"],
  cs: ["Bazén", "Voda, čerpadlo, ohřev, světla, chemie a plány vašich bazénů", "Není nastavena žádná řídicí jednotka bazénu.",
    "Voda", "Čerpadlo", "Ohřev", "Světla", "Chemie", "Plány", "Vybavení", "Stav", "Historie"],
  sv: ["Pool", "Vatten, pump, värme, belysning, poolkemi och scheman för dina pooler", "Ingen poolstyrning är konfigurerad.",
    "Vatten", "Pump", "Värme", "Belysning", "Poolkemi", "Scheman", "Utrustning", "Status", "Historik"],
};

/** Return the words of a language such as "en-GB"; English where there are none. */
export function words(language = "en") {
  const row = WORDS[language.split("-")[0]] ?? WORDS.en;
  return Object.fromEntries(KEYS.map((key, index) => [key, row[index]]));
}
