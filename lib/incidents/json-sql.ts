/**
 * SQL that builds JSON as text with `format`, which takes one argument per member; `concat` needs two more for the
 * text in between and is slower. Each value's type is known here, so the database needn't look it up at run time.
 */

/** A member of a JSON object: the SQL of its text, and the quotes around it. */
export type JsonMember = { value: string; quotes: "" | '"' };

/** SQL that already yields JSON. */
export const rawJson = (value: string): JsonMember => ({ value, quotes: "" });
/**
 * `jsonString` escapes free text; `jsonUnescapedString` is for enum values and ids; `jsonTime` writes times (contract
 * 7.1).
 */
export const jsonString = (column: string): JsonMember => rawJson(`to_json(${column})::text`);
export const jsonUnescapedString = (column: string): JsonMember => ({
  value: `${column}::text`,
  quotes: '"',
});
export const jsonTime = (column: string): JsonMember => ({
  value: `to_char(${column} at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')`,
  quotes: '"',
});
/** Returns a member that writes `null` where its value is null. */
export const nullableJson = ({ value, quotes }: JsonMember): JsonMember =>
  rawJson(`coalesce(${quotes ? `'"' || ${value} || '"'` : value}, 'null')`);

export const jsonObject = (members: Record<string, JsonMember>): JsonMember => {
  const placeholders = Object.entries(members).map(([name, { quotes }]) => `"${name}":${quotes}%s${quotes}`);
  const values = Object.values(members).map(({ value }) => value);
  return rawJson(`format('{${placeholders.join(",")}}', ${values.join(", ")})`);
};
/** An object for what a column refers to; `null` if the column is null. */
export const nullableJsonObject = (column: string, members: Record<string, JsonMember>): JsonMember =>
  rawJson(`case when ${column} is null then 'null' else ${jsonObject(members).value} end`);
