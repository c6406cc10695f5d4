import clsx from "clsx";

export type ButtonVariant = "primary" | "secondary" | "quiet" | "danger";

/** Returns the classes of a button (app/globals.css), for a `<summary>`, plain link or label that acts as one. */
export function buildButtonClass(variant: ButtonVariant = "secondary", className?: string): string {
  return clsx("button", variant !== "secondary" && `button-${variant}`, className);
}
