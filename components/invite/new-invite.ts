/**
 * Parses the new invite from a form, whose values are all texts; the number of uses may be blank.
 * @param expiresAt ISO 8601, or null for an invite that doesn't expire
 */
export const parseNewInviteFormValues = (
  { role, note, maxUses }: Record<string, string>,
  expiresAt: string | null,
) => ({
  role,
  note,
  expiresAt,
  maxUses: maxUses ? Number(maxUses) : null,
});
