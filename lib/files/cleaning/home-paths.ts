import { readXml } from "./xml.ts";
import type { ZipPartBytesByName } from "./zip.ts";

/** A path within somebody's home folder, which names them: of Linux, macOS or Windows. */
const HOME_PATH =
  /(^|[\s"'(=[]|file:\/\/(localhost)?)\/(Users|home)\/[^/\s]|[a-z]:[\\/]{1,4}(Users|Documents and Settings)[\\/]{1,4}[^\\/\s]/i;

/** An address of the web, which is content: a whole value, or quoted in a formula or a field code. */
const WEB_ADDRESS =
  /^\s*(https?:|mailto:|tel:)[^]*|"(https?:|mailto:|tel:)[^"]*"|'(https?:|mailto:|tel:)[^']*'/gi;

export const holdsHomePath = (text: string): boolean => HOME_PATH.test(text.replace(WEB_ADDRESS, ""));

/** Attributes that hold what somebody wrote, and so may quote a path. */
const WRITTEN_ATTRIBUTES = new Set(
  "descr title alt tooltip display prompt promptTitle error errorTitle string-value".split(" "),
);
/** Elements whose text isn't shown. */
const HIDDEN_ELEMENTS = new Set("f definedName formula formula1 formula2 config-item".split(" "));

/**
 * Checks that no attribute, formula or setting of an office document names a home folder. Texts may: they are content.
 * @throws Error when one does
 */
export function assertNoHomePaths(parts: ZipPartBytesByName): void {
  for (const [name, bytes] of parts) if (/\.(xml|rels|vml)$/i.test(name)) assertNoHomePathsInXml(bytes);
}

function assertNoHomePathsInXml(bytes: Buffer): void {
  let hidden: string | null = null;
  readXml(bytes, {
    open: ({ local, attributes }) => {
      hidden = HIDDEN_ELEMENTS.has(local) ? "" : null;
      for (const attribute of attributes)
        if (!WRITTEN_ATTRIBUTES.has(attribute.local)) assertNoHomePath(attribute.value ?? "");
    },
    text: (text) => {
      if (hidden !== null) hidden += text;
    },
    close: () => {
      assertNoHomePath(hidden ?? "");
      hidden = null;
    },
  });
}

function assertNoHomePath(text: string): void {
  if (holdsHomePath(text)) throw new Error("This document names somebody's folder.");
}
