import { useState } from "react";

/** Copies text. Returns whether the last try worked: without permission or a secure context it doesn't. */
export function useClipboard() {
  const [copied, setCopied] = useState(false);
  async function copy(text: string): Promise<boolean> {
    const succeeded = await writeClipboardText(text);
    setCopied(succeeded);
    return succeeded;
  }
  return { copied, copy };
}

async function writeClipboardText(text: string): Promise<boolean> {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    return false;
  }
}
