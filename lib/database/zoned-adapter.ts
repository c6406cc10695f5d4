import { PrismaPg } from "@prisma/adapter-pg";
import type { SqlDriverAdapterFactory } from "@prisma/driver-adapter-utils";
import pg from "pg";

/**
 * Prisma's adapter writes times without a zone and drops the zone when it reads them, so both depend on the session's
 * time zone. This adapter keeps the zone.
 */

type Adapter = Awaited<ReturnType<PrismaPg["connect"]>>;
type Queryable = Pick<Adapter, "queryRaw" | "executeRaw">;
type Query = Parameters<Adapter["queryRaw"]>[0];

type AdapterOptions = NonNullable<ConstructorParameters<typeof PrismaPg>[1]>;

/**
 * Creates Prisma's adapter on a pool of lib/database/connections.ts, with times that keep their zone.
 * @param findPool is called when the client connects, which is at its first query, and again after it was disconnected
 */
export const createPrismaAdapterWithZonedTimes = (
  findPool: () => pg.Pool,
  options: AdapterOptions = {},
): SqlDriverAdapterFactory => ({
  provider: "postgres",
  adapterName: "@prisma/adapter-pg",
  async connect() {
    const adapter = await new PrismaPg(findPool(), options).connect();
    const startTransaction: Adapter["startTransaction"] = async (isolationLevel) =>
      withZonedWrites(await adapter.startTransaction(isolationLevel));
    return Object.assign(withZonedWrites(adapter), { startTransaction });
  },
});

function withZonedWrites<Target extends Queryable>(target: Target): Target {
  const queries: Queryable = {
    queryRaw: (query) => target.queryRaw(addZones(query)),
    executeRaw: (query) => target.executeRaw(addZones(query)),
  };
  return Object.assign(Object.create(target) as Target, queries);
}

/** PostgreSQL types that are sent as Prisma formats them, without a UTC zone. */
const ZONELESS_TYPES = ["DATE", "TIME", "TIMETZ"];

function addZones(query: Query): Query {
  const { args, argTypes } = query;
  const isTime = argTypes.map(
    ({ scalarType, dbType }) => scalarType === "datetime" && !ZONELESS_TYPES.includes(dbType ?? ""),
  );
  if (!isTime.includes(true)) return query;
  return {
    ...query,
    args: args.map((arg, index) => (isTime[index] ? toZonedValue(arg) : arg)),
    argTypes: argTypes.map((type, index) => (isTime[index] ? { ...type, scalarType: "string" } : type)),
  };
}

function toZonedValue(arg: unknown): unknown {
  if (Array.isArray(arg)) return arg.map(toZonedValue);
  return typeof arg === "string" || arg instanceof Date ? new Date(arg).toISOString() : arg;
}

type TypeParsers = { getTypeParser(oid: number, format?: string): (text: string) => unknown };

/**
 * Returns the options of a query with a parser that keeps the zone of times, if the query comes from Prisma's adapter:
 * only the adapter requests rows as arrays and brings its own parsers. Returns other options unchanged.
 */
export function addZonedTimeParserToQueryConfig(config: unknown): unknown {
  const { rowMode, types } = (config ?? {}) as { rowMode?: string; types?: TypeParsers };
  if (rowMode !== "array" || !types) return config;
  const getTypeParser: TypeParsers["getTypeParser"] = (oid, format) => {
    const parseValue = types.getTypeParser(oid, format);
    return oid === pg.types.builtins.TIMESTAMPTZ ? (text) => parseValue(toUtcText(text)) : parseValue;
  };
  return { ...(config as object), types: { getTypeParser } };
}

const parseTimestamp = pg.types.getTypeParser(pg.types.builtins.TIMESTAMPTZ, "text") as (
  text: string,
) => unknown;

function toUtcText(text: string): string {
  if (text.endsWith("+00")) return text;
  const time = parseTimestamp(text);
  return time instanceof Date ? time.toISOString().replace("T", " ").replace("Z", "+00") : text;
}
