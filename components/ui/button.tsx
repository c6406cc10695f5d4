import clsx from "clsx";
import type { ComponentProps } from "react";
import { Icon, type LucideIcon } from "./icon.tsx";
import { Link } from "./link.tsx";
import { Spinner } from "./spinner.tsx";

export type ButtonVariant = "primary" | "secondary" | "quiet" | "danger";

type Looks = { variant?: ButtonVariant; icon?: LucideIcon };

type ButtonProps = ComponentProps<"button"> &
  Looks & {
    /** Busy: stays focusable and keeps its place, but says so and does nothing. */
    pending?: boolean;
  };

/** A button; `type="button"` unless told otherwise. Inside `<Form>`, use `SubmitButton`. */
export function Button({
  variant,
  icon,
  pending = false,
  className,
  children,
  type = "button",
  ...rest
}: ButtonProps) {
  return (
    <button
      type={type}
      className={buttonClass(variant, className)}
      aria-disabled={pending || undefined}
      aria-busy={pending || undefined}
      {...rest}
    >
      {pending ? <Spinner /> : icon && <Icon as={icon} />}
      {children}
    </button>
  );
}

type LinkButtonProps = ComponentProps<typeof Link> & Looks;

/** A link that looks like a button, for going somewhere (never for changing something). */
export function LinkButton({ variant, icon, className, children, ...rest }: LinkButtonProps) {
  return (
    <Link className={buttonClass(variant, className)} {...rest}>
      {icon && <Icon as={icon} />}
      {children}
    </Link>
  );
}

/** The looks of a button, for a `<summary>` or a label that acts as one. */
export function buttonClass(variant: ButtonVariant = "secondary", className?: string): string {
  return clsx(
    "inline-flex min-h-11 items-center justify-center gap-2 rounded-control border px-4 py-2 text-center font-[550]",
    "transition-colors duration-150 select-none print:hidden disabled:opacity-60 aria-disabled:cursor-progress aria-disabled:opacity-75",
    VARIANTS[variant],
    className,
  );
}

const VARIANTS: Record<ButtonVariant, string> = {
  primary: "border-accent bg-accent text-accent-ink hover:border-accent-hover hover:bg-accent-hover",
  secondary: "border-edge bg-surface text-ink hover:border-ink hover:bg-sunken",
  quiet: "border-transparent bg-transparent text-accent hover:bg-accent-soft hover:text-accent-hover",
  danger: "border-danger bg-danger text-danger-ink hover:border-danger-hover hover:bg-danger-hover",
};
