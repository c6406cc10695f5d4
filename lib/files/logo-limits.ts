/** The largest logo or avatar, in bytes (contract 9.4). */
export const MAX_LOGO_OR_AVATAR_BYTES = 2 * 1024 * 1024;
