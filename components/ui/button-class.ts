import clsx from "clsx";

export type ButtonVariant = "primary" | "secondary" | "quiet" | "danger";

/** Returns the classes of a button, for a `<summary>`, plain link or label that acts as one. */
export function buildButtonClass(variant: ButtonVariant = "secondary", className?: string): string {
  return clsx(
    "inline-flex min-h-11 items-center justify-center gap-2 rounded-control border px-4 py-2 text-center font-[550]",
    "transition-colors duration-150 select-none print:hidden disabled:opacity-60 aria-disabled:cursor-progress aria-disabled:opacity-75",
    VARIANT_CLASSES[variant],
    className,
  );
}

const VARIANT_CLASSES: Record<ButtonVariant, string> = {
  primary: "border-accent bg-accent text-accent-ink hover:border-accent-hover hover:bg-accent-hover",
  secondary: "border-edge bg-surface text-ink hover:border-ink hover:bg-sunken",
  quiet: "border-transparent bg-transparent text-accent hover:bg-accent-soft hover:text-accent-hover",
  danger: "border-danger bg-danger text-danger-ink hover:border-danger-hover hover:bg-danger-hover",
};
