import type { ComponentProps } from "react";
import { buildButtonClass, type ButtonVariant } from "./button-class.ts";
import { Icon, type IconName } from "./icon.tsx";
import { Link } from "./link.tsx";
import { Spinner } from "./spinner.tsx";

export { buildButtonClass, type ButtonVariant };

type ButtonStyle = { variant?: ButtonVariant; icon?: IconName };

type ButtonProps = ComponentProps<"button"> &
  ButtonStyle & {
    /** Busy: stays focusable and in place, and is announced as busy. It can still be pressed; `Form` ignores that. */
    pending?: boolean;
  };

/** A button, with `type="button"` by default. Inside `<Form>`, use `SubmitButton`. */
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
      className={buildButtonClass(variant, className)}
      aria-disabled={pending || undefined}
      aria-busy={pending || undefined}
      {...rest}
    >
      {pending ? <Spinner /> : icon && <Icon as={icon} />}
      {children}
    </button>
  );
}

type LinkButtonProps = ComponentProps<typeof Link> & ButtonStyle;

/** A link that looks like a button, for navigation, never for changing something. */
export function LinkButton({ variant, icon, className, children, ...rest }: LinkButtonProps) {
  return (
    <Link className={buildButtonClass(variant, className)} {...rest}>
      {icon && <Icon as={icon} />}
      {children}
    </Link>
  );
}
