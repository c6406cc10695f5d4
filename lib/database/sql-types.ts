import pg from "pg";
import { Prisma } from "#lib/generated/prisma/client.ts";

/** Parses values of raw statements as Prisma does; types that aren't listed are left to the driver. */

const { builtins } = pg.types;
const getTypeParser: (oid: number, format: "text" | "binary") => (text: string) => unknown =
  pg.types.getTypeParser;

const ARRAYS = { text: 1009, int8: 1016, numeric: 1231 };

const parseDecimal = (text: string) => new Prisma.Decimal(text);
const parseUtc = (text: string) => new Date(`${text.replace(" ", "T")}Z`);
const parseArray =
  <T>(read: (text: string) => T) =>
  (text: string) =>
    (getTypeParser(ARRAYS.text, "text")(text) as (string | null)[]).map((item) =>
      item === null ? null : read(item),
    );

const TEXT_PARSERS = new Map<number, (text: string) => unknown>([
  [builtins.INT8, BigInt],
  [builtins.NUMERIC, parseDecimal],
  [builtins.DATE, (text) => new Date(`${text}T00:00:00Z`)],
  [builtins.TIMESTAMP, parseUtc],
  [ARRAYS.int8, parseArray(BigInt)],
  [ARRAYS.numeric, parseArray(parseDecimal)],
]);

export const sqlTypeParsers: pg.CustomTypesConfig = {
  getTypeParser: ((oid: number, format: "text" | "binary" = "text") =>
    (format === "text" && TEXT_PARSERS.get(oid)) ||
    getTypeParser(oid, format)) as typeof pg.types.getTypeParser,
};
