/**
 * SQL of JSON as text, put together with `format`, which takes one text a member: a `concat` has two more of what stands
 * between them, and takes longer. The type of each value is known when it is written down, and not looked up.
 */

/** What a member of a JSON object is: SQL of a text, and in which quotes it stands. */
export type JsonMember = { value: string; quotes: "" | '"' };

/** SQL that gives JSON already. */
export const rawJson = (value: string): JsonMember => ({ value, quotes: "" });
/** Free text, a word or an id that needs no escaping, and a time (contract 7.1). */
export const jsonString = (column: string): JsonMember => rawJson(`to_json(${column})::text`);
export const jsonUnescapedString = (column: string): JsonMember => ({
  value: `${column}::text`,
  quotes: '"',
});
export const jsonTime = (column: string): JsonMember => ({
  value: `to_char(${column} at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')`,
  quotes: '"',
});
/** The same of what may be null. */
export const nullableJson = ({ value, quotes }: JsonMember): JsonMember =>
  rawJson(`coalesce(${quotes ? `'"' || ${value} || '"'` : value}, 'null')`);

export const jsonObject = (members: Record<string, JsonMember>): JsonMember => {
  const placeholders = Object.entries(members).map(([name, { quotes }]) => `"${name}":${quotes}%s${quotes}`);
  const values = Object.values(members).map(({ value }) => value);
  return rawJson(`format('{${placeholders.join(",")}}', ${values.join(", ")})`);
};
/** A record of what a column refers to; null where that is null. */
export const nullableJsonObject = (column: string, members: Record<string, JsonMember>): JsonMember =>
  rawJson(`case when ${column} is null then 'null' else ${jsonObject(members).value} end`);
