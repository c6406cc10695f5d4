/**
 * Splits what somebody typed or pasted into email addresses, one a line or with commas between. A name around an address,
 * as mail programs write it, is left out.
 */
export const splitEmailAddresses = (text: string | undefined): string[] =>
  (text ?? "")
    .split(/[\n,;]+/)
    .map((part) => (/<([^<>]*)>\s*$/.exec(part)?.[1] ?? part).trim())
    .filter((part) => part !== "");
