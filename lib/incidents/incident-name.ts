/** Formats the code name and the number of an incident, by which people call it: "birch-heron 4821". */
export const formatIncidentName = ({ codeName, number }: { codeName: string; number: number }): string =>
  `${codeName} ${number}`;
