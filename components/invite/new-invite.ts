/**
 * A new invite as a form holds it, which has texts only: the number of uses may be left out.
 * @param expiresAt ISO 8601, or null for an invite without an end
 */
export const parseNewInvite = (
  { role, note, maxUses }: Record<string, string>,
  expiresAt: string | null,
) => ({
  role,
  note,
  expiresAt,
  maxUses: maxUses ? Number(maxUses) : null,
});
