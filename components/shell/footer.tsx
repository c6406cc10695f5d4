import clsx from "clsx";
import type { ReactNode } from "react";

/** The foot of every page. `children` are links, where a page has some. */
export function Footer({ wide = false, children }: { wide?: boolean; children?: ReactNode }) {
  return (
    <footer className="no-print border-t border-line text-sm text-muted">
      <div
        className={clsx(
          "mx-auto flex w-full flex-wrap items-center justify-between gap-x-6 gap-y-2 px-4 py-5 sm:px-6",
          wide ? "max-w-[82rem]" : "max-w-3xl",
        )}
      >
        <p>Heed, for conduct reports and the people who answer them</p>
        {children}
      </div>
    </footer>
  );
}
