import { description } from "#app/api/description.ts";
import { route } from "#lib/http/endpoint.ts";

export const { GET, POST, PUT, PATCH, DELETE, OPTIONS } = route({ GET: description });
