/** SQL of JSON as text, put together with `concat`: the type of each value is known when it is written down, and not looked up. */

/** SQL of a value as the parts of a `concat`: free text, a word or an id that needs no escaping, and a time (rulings R4). */
export const text = (column: string) => `to_json(${column})`;
export const word = (column: string) => `'"', ${column}, '"'`;
export const time = (column: string) =>
  `'"', to_char(${column} at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'), '"'`;
/** The same of what may be null. */
export const orNull = (column: string, value: (column: string) => string) =>
  `case when ${column} is null then 'null' else ${single(value(column))} end`;
const single = (parts: string) => (parts.startsWith("'\"', ") ? `concat(${parts})` : `${parts}::text`);
export const record = (members: Record<string, string>) =>
  `concat('{', ${Object.entries(members)
    .map(([name, value], index) => `'${index > 0 ? "," : ""}"${name}":', ${value}`)
    .join(", ")}, '}')`;
