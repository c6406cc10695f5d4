type InviteLimitState = {
  disabled: boolean;
  expiresAt: string | null;
  maxUses: number | null;
  useCount: number;
};

/** Returns why an invite no longer works, or null while it does. */
export function findInviteEndReason(
  { disabled, expiresAt, maxUses, useCount }: InviteLimitState,
  now: Date,
): "switchedOff" | "expired" | "usedUp" | null {
  if (disabled) return "switchedOff";
  if (expiresAt && new Date(expiresAt) <= now) return "expired";
  return maxUses !== null && useCount >= maxUses ? "usedUp" : null;
}
