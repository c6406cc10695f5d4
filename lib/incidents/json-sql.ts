/**
 * SQL that builds JSON as text with `format`, which takes one argument per member; `concat` needs two more for the
 * text in between and is slower. Each value's type is known here, so the database needn't look it up at run time.
 */

/** A member of a JSON object: the SQL of its text, and the quotes around it. */
export type JsonSqlMember = { value: string; quotes: "" | '"' };

/** A member whose SQL already yields JSON. */
export const rawJsonSql = (value: string): JsonSqlMember => ({ value, quotes: "" });
/** A string member with a column's text, escaped. */
export const jsonStringSql = (column: string): JsonSqlMember => rawJsonSql(`to_json(${column})::text`);
/** A string member for enum values and ids, which need no escaping. */
export const jsonUnescapedStringSql = (column: string): JsonSqlMember => ({
  value: `${column}::text`,
  quotes: '"',
});
/** A string member with a time as the API writes it (contract 7.1). */
export const jsonTimeSql = (column: string): JsonSqlMember => ({
  value: `to_char(${column} at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')`,
  quotes: '"',
});
/** Returns a member that writes `null` where its value is null. */
export const nullableJsonSql = ({ value, quotes }: JsonSqlMember): JsonSqlMember =>
  rawJsonSql(`coalesce(${quotes ? `'"' || ${value} || '"'` : value}, 'null')`);

export const jsonObjectSql = (members: Record<string, JsonSqlMember>): JsonSqlMember => {
  const placeholders = Object.entries(members).map(([name, { quotes }]) => `"${name}":${quotes}%s${quotes}`);
  const values = Object.values(members).map(({ value }) => value);
  return rawJsonSql(`format('{${placeholders.join(",")}}', ${values.join(", ")})`);
};
/** An object for what a column refers to; `null` if the column is null. */
export const nullableJsonObjectSql = (
  column: string,
  members: Record<string, JsonSqlMember>,
): JsonSqlMember =>
  rawJsonSql(`case when ${column} is null then 'null' else ${jsonObjectSql(members).value} end`);
