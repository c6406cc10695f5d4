import { route } from "#lib/http/endpoint.ts";
import { uploadAvatar, removeAvatar } from "#lib/own-account/operations.ts";

export const { GET, POST, PUT, PATCH, DELETE, OPTIONS } = route({ POST: uploadAvatar, DELETE: removeAvatar });
