import type pg from "pg";

/** The database's description of a statement that isn't run. */
export type Description = { columns: DescribedColumn[] } | { error: string };
export type DescribedColumn = { name: string; tableID: number; columnID: number; dataTypeID: number };

/** Lets the server parse a statement and describe its columns. Parameters have whatever type it infers. */
export const describeStatement = (client: pg.Client, text: string): Promise<Description> =>
  new Promise((resolve) => {
    let columns: DescribedColumn[] = [];
    const query = {
      submit(connection: any) {
        connection.parse({ text, name: "", types: [] });
        connection.describe({ type: "S", name: "" });
        connection.sync();
      },
      handleRowDescription: ({ fields }: { fields: DescribedColumn[] }) => void (columns = fields),
      handleError: ({ message }: Error) => resolve({ error: message }),
      handleReadyForQuery: () => resolve({ columns }),
    };
    client.query(query as never);
  });

/** The kinds of JavaScript values by the type's number, from the catalog. */
export type TypeKinds = Map<number, string>;

/** The kinds of values to which `lib/database/sql-types.ts` parses types. */
const KIND_OF_TYPE: Record<string, string> = {
  bool: "boolean",
  bytea: "bytes",
  date: "Date",
  float4: "number",
  float8: "number",
  int2: "number",
  int4: "number",
  int8: "bigint",
  json: "json",
  jsonb: "json",
  name: "string",
  numeric: "Decimal",
  text: "string",
  timestamp: "Date",
  timestamptz: "Date",
  uuid: "string",
  varchar: "string",
  void: "string",
};

export async function readTypeKinds(client: pg.Client): Promise<TypeKinds> {
  const { rows } = await client.query<{
    oid: number;
    name: string;
    isEnum: boolean;
    element: string | null;
  }>(`
    select t.oid::int, t.typname as name, t.typtype = 'e' as "isEnum", case when t.typcategory = 'A' then e.typname end as element
    from pg_type t left join pg_type e on e.oid = t.typelem`);
  const kindOf = (name: string) => KIND_OF_TYPE[name] ?? "other";
  return new Map(
    rows.map(({ oid, name, isEnum, element }) => [
      oid,
      isEnum ? "string" : element === null ? kindOf(name) : `${kindOf(element)}[]`,
    ]),
  );
}

/** Lists the columns that can be null, as `table.column` in numbers. */
export async function listNullableColumns(client: pg.Client): Promise<Set<string>> {
  const { rows } = await client.query<{ name: string }>(`
    select attrelid || '.' || attnum as name from pg_attribute where attnum > 0 and not attnotnull`);
  return new Set(rows.map(({ name }) => name));
}
