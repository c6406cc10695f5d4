"use client";

import { type ComponentType, useEffect, useState } from "react";

type Props = { error: Error & { digest?: string }; retry: () => void };

/** A failure outside of any frame. Every page carries this boundary, so what it shows is loaded when it is needed. */
export default function ErrorPage(props: Props) {
  const [Shown, setShown] = useState<ComponentType<Props> | null>(null);
  useEffect(() => {
    import("#components/shell/root-failure.tsx").then(
      ({ default: loaded }) => setShown(() => loaded),
      // Not even that could be loaded: the browser says what it says of a page that doesn't come.
      () => window.location.reload(),
    );
  }, []);
  return Shown && <Shown {...props} />;
}
