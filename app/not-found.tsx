/**
 * Renders nothing, and no page leads here: `[...missing]` answers unknown addresses. Without this file, the data of each
 * page would hold Next's own message.
 */
export default function NotFound() {
  return null;
}
