/** Functions that load something when the workbook is calculated. */
const LOADING_FUNCTION = /\b(WEBSERVICE|IMAGE|RTD|DDE)\s*\(/i;

/**
 * What isn't the name of a function: texts in double quotes, and names of sheets in single ones. In Excel, names of
 * columns in square brackets may hold a single quote, too, which isn't one of a pair.
 */
const QUOTED_NAMES = [/"[^"]*"|'[^']*'/g, /"[^"]*"|'[^']*'|\[(?:'[^]|[^'[\]]|\[(?:'[^]|[^'[\]])*\])*\]/g];

/** Returns whether a formula of Excel or OpenDocument shows its sender who opened the workbook when. */
export const isLoadingFormula = (formula: string): boolean =>
  QUOTED_NAMES.some((names) => LOADING_FUNCTION.test(formula.replace(names, " ")));
