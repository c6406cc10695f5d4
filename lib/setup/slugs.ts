import type { Tx } from "#lib/database/client.ts";
import { generateInviteCode } from "#lib/crypto/random-code.ts";
import { MAX_SLUG_LENGTH, slugify } from "#lib/design/slug.ts";
import { slugInput } from "#lib/operation/fields.ts";

/** The addresses of new organizations and events, which nobody has to think of. */

type Table = "organization" | "event";

const MAX_SUFFIX_LENGTH = 8;

/** Derives a free slug from a name: "Spring Fair" becomes "spring-fair" or, where that is taken, "spring-fair-2". */
export async function deriveFreeSlug(tx: Tx, table: Table, name: string): Promise<string> {
  const base =
    slugify(name)
      .slice(0, MAX_SLUG_LENGTH - MAX_SUFFIX_LENGTH)
      .replace(/-$/, "") || table;
  const candidates = [base, ...Array.from({ length: 8 }, (_, at) => `${base}-${at + 2}`)].filter(
    (slug) => slugInput.safeParse(slug).success,
  );
  const where = { slug: { in: candidates } };
  const rows =
    table === "event"
      ? await tx.event.findMany({ where, select: { slug: true } })
      : await tx.organization.findMany({ where, select: { slug: true } });
  const taken = new Set(rows.map(({ slug }) => slug));
  const random = () =>
    generateInviteCode()
      .toLowerCase()
      .slice(0, MAX_SUFFIX_LENGTH - 1);
  return candidates.find((slug) => !taken.has(slug)) ?? `${base}-${random()}`;
}
