import { useState } from "react";

/**
 * Returns `copy`, which writes text to the clipboard and resolves to whether that worked, and `copied`, whether the
 * last attempt worked. Copying fails without permission, or outside a secure context.
 */
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
