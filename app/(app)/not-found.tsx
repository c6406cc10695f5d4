/** Renders nothing: see app/not-found.tsx. Next adds its own message to each group of routes that has none. */
export default function NotFound() {
  return null;
}
