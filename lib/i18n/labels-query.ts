import { z } from "zod";
import { LOCALES } from "./locales.ts";

/** The language of a CSV export for people to read (contract 10.3); without it, the export is for programs. */
export const csvLabelsQuery = z.enum(LOCALES).optional();
