import Papa from "papaparse";

/** Formats cells as RFC 4180 lines. User text among them must have gone through `escapeFormula`. */
export const formatCsvLines = (lines: readonly string[][], delimiter = ","): string =>
  Papa.unparse([...lines], { header: false, newline: "\r\n", delimiter }) + "\r\n";

/**
 * Prefixes user text with an apostrophe if a spreadsheet could read it as a formula. The formula sign may follow
 * quotes, blanks, separators and invisible characters, since programs skip them or split there; full-width forms of the
 * signs count too (contract 10.3).
 */
export const escapeFormula = (text: string): string => (FORMULA_START.test(text) ? `'${text}` : text);

const FORMULA_START = /^(?:[\t\r]|[\s\p{Cc}\p{Cf}"'`,;|]*[=+\-@＝＋－＠])/u;
