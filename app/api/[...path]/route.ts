import { handleUnknownPath } from "#lib/http/endpoint.ts";

export {
  handleUnknownPath as GET,
  handleUnknownPath as POST,
  handleUnknownPath as PUT,
  handleUnknownPath as PATCH,
  handleUnknownPath as DELETE,
  handleUnknownPath as OPTIONS,
};
