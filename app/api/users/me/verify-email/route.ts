import { route } from "#lib/api/endpoint.ts";
import { resendVerificationMail } from "#lib/accounts/own-operations.ts";

export const { GET, POST, PUT, PATCH, DELETE, OPTIONS } = route({ POST: resendVerificationMail });
