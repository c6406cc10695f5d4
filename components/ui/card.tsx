import clsx from "clsx";
import type { ReactNode } from "react";

type Props = {
  /** A heading makes the card a named section. */
  title?: string;
  /** On the right of the title. */
  actions?: ReactNode;
  /** Id of the heading, for references from other parts of the page. */
  id?: string;
  /** False if the content has its own padding, as a table does. */
  padded?: boolean;
  className?: string;
  children: ReactNode;
};

/** A titled surface with a thin border. */
export function Card({ title, actions, id, padded = true, className, children }: Props) {
  return (
    <section className={clsx("min-w-0 rounded-surface border border-line bg-surface", className)}>
      {(title || actions) && (
        <div
          className={clsx(
            "flex flex-wrap items-center justify-between gap-x-4 gap-y-2 px-4 pt-4 sm:px-6 sm:pt-5",
            !padded && "pb-3",
          )}
        >
          {title && (
            <h2 id={id} className={clsx("text-lg", id && "scroll-mt-40")}>
              {title}
            </h2>
          )}
          {actions && <div className="no-print flex flex-wrap gap-2">{actions}</div>}
        </div>
      )}
      <div className={clsx(padded && (title ? "px-4 pt-3 pb-4 sm:px-6 sm:pb-6" : "p-4 sm:p-6"))}>
        {children}
      </div>
    </section>
  );
}
