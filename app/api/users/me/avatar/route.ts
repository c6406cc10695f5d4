import { createRouteHandlers } from "#lib/http/endpoint.ts";
import { uploadAvatar, removeAvatar } from "#lib/own-account/operations.ts";

export const { GET, POST, PUT, PATCH, DELETE, OPTIONS } = createRouteHandlers({
  POST: uploadAvatar,
  DELETE: removeAvatar,
});
