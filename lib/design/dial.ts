/** The digits to dial of a phone number as people write it, for a `tel:` link. */
export const toDialString = (phone: string): string =>
  (phone.trim().startsWith("+") ? "+" : "") + phone.replace(/[^\d*#]/g, "");
