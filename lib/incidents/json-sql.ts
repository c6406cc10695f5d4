/**
 * SQL of JSON as text, put together with `format`, which takes one text a member: a `concat` has two more of what stands
 * between them, and takes longer. The type of each value is known when it is written down, and not looked up.
 */

/** What a member of a JSON object is: SQL of a text, and in which quotes it stands. */
export type Member = { value: string; quotes: "" | '"' };

/** SQL that gives JSON already. */
export const json = (value: string): Member => ({ value, quotes: "" });
/** Free text, a word or an id that needs no escaping, and a time (contract 7.1). */
export const text = (column: string): Member => json(`to_json(${column})::text`);
export const word = (column: string): Member => ({ value: `${column}::text`, quotes: '"' });
export const time = (column: string): Member => ({
  value: `to_char(${column} at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')`,
  quotes: '"',
});
/** The same of what may be null. */
export const orNull = ({ value, quotes }: Member): Member =>
  json(`coalesce(${quotes ? `'"' || ${value} || '"'` : value}, 'null')`);

export const record = (members: Record<string, Member>): Member => {
  const places = Object.entries(members).map(([name, { quotes }]) => `"${name}":${quotes}%s${quotes}`);
  const values = Object.values(members).map(({ value }) => value);
  return json(`format('{${places.join(",")}}', ${values.join(", ")})`);
};
/** A record of what a column refers to; null where that is null. */
export const recordOf = (column: string, members: Record<string, Member>): Member =>
  json(`case when ${column} is null then 'null' else ${record(members).value} end`);
