type KeyPress = Pick<KeyboardEvent, "key" | "code" | "shiftKey">;

/**
 * Returns the key as an English keyboard would name it. On layouts with non-Latin letters, such as Arabic, Cyrillic or
 * Greek, the key's position counts; on Latin layouts, the letter counts, wherever it is.
 */
export function toLatinKeyboardKey({ key, code, shiftKey }: KeyPress): string {
  if (key.length !== 1 || key <= "\u024f") return key;
  if (key === "؟") return "?";
  const letter = /^Key([A-Z])$/.exec(code)?.[1];
  if (letter) return shiftKey ? letter : letter.toLowerCase();
  if (code === "Slash") return shiftKey ? "?" : "/";
  return code === "Period" && !shiftKey ? "." : key;
}
