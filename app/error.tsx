"use client";

import { type ComponentType, useEffect, useState } from "react";

type Props = { error: Error & { digest?: string }; retry: () => void };

/** An error outside any frame. Every page ships this boundary, so its content is loaded only when needed. */
export default function ErrorPage(props: Props) {
  const [Shown, setShown] = useState<ComponentType<Props> | null>(null);
  useEffect(() => {
    import("#components/shell/root-failure.tsx").then(
      ({ default: loaded }) => setShown(() => loaded),
      // If even that fails to load, reloads and lets the browser show its own error page.
      () => window.location.reload(),
    );
  }, []);
  return Shown && <Shown {...props} />;
}
