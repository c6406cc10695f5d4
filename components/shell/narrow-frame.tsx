import clsx from "clsx";
import type { ReactNode } from "react";
import { Link } from "#components/ui/link.tsx";
import { Footer } from "./footer.tsx";
import { Wordmark } from "./mark.tsx";
import { SkipLink } from "./skip-link.tsx";

type Props = {
  /** "form" for signing in and its like, "reading" for what a reporter reads and writes. */
  width?: "form" | "reading";
  home?: string;
  /** On the right of the head: a link to sign in, a way to leave. */
  aside?: ReactNode;
  footer?: ReactNode;
  children: ReactNode;
};

/** The frame of pages with one thing to do: one column, much room, little else. */
export function NarrowFrame({ width = "form", home = "/", aside, footer, children }: Props) {
  const column = width === "form" ? "max-w-lg" : "max-w-3xl";
  return (
    <div className="flex min-h-dvh flex-col">
      <SkipLink />
      <header className="no-print">
        <div
          className={clsx(
            "mx-auto flex w-full flex-wrap items-center justify-between gap-4 px-4 pt-5 sm:px-6 sm:pt-8",
            column,
          )}
        >
          <Link
            href={home}
            aria-label="Heed, home"
            className="inline-flex min-h-11 items-center rounded-control"
          >
            <Wordmark />
          </Link>
          {aside}
        </div>
      </header>
      <main
        id="content"
        tabIndex={-1}
        className={clsx("mx-auto w-full grow px-4 pt-8 pb-16 outline-none sm:px-6", column)}
      >
        {children}
      </main>
      <Footer>{footer}</Footer>
    </div>
  );
}
