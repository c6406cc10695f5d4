type KeyPress = Pick<KeyboardEvent, "key" | "code" | "shiftKey">;

/**
 * The key as an English keyboard would name it. Where letters are Arabic, Cyrillic or Greek, what is meant is the place of
 * the key; where they are Latin, it is the letter, wherever that layout has it.
 */
export function toLatinKey({ key, code, shiftKey }: KeyPress): string {
  if (key.length !== 1 || key <= "\u024f") return key;
  if (key === "؟") return "?";
  const letter = /^Key([A-Z])$/.exec(code)?.[1];
  if (letter) return shiftKey ? letter : letter.toLowerCase();
  if (code === "Slash") return shiftKey ? "?" : "/";
  return code === "Period" && !shiftKey ? "." : key;
}
