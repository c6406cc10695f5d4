import { CloudAlert, Lock, SearchX } from "lucide-react";
import type { ReactNode } from "react";
import { LinkButton } from "#components/ui/button.tsx";
import { Icon, type LucideIcon } from "#components/ui/icon.tsx";

type Props = { icon: LucideIcon; title: string; children: ReactNode; actions?: ReactNode };

/** A page that only says something: one heading, a few words, a way on. */
export function MessagePage({ icon, title, children, actions }: Props) {
  return (
    <div className="grid max-w-[60ch] justify-items-start gap-4 py-6">
      <Icon as={icon} size={32} className="text-muted" />
      <h1 className="text-2xl sm:text-3xl">{title}</h1>
      <div className="grid gap-3 text-lg text-muted">{children}</div>
      {actions && <div className="mt-2 flex flex-wrap gap-3">{actions}</div>}
    </div>
  );
}

type WayOn = { /** Where the way on leads, and what it is called. */ href?: string; label?: string };

/** Absent, or not for this person: the two look the same on purpose. */
export function NotFoundMessage({ href = "/", label = "Go to the start page" }: WayOn) {
  return (
    <MessagePage
      icon={SearchX}
      title="There is nothing at this address"
      actions={<LinkButton href={href}>{label}</LinkButton>}
    >
      <p>The link may be old or cut short, or this page isn't open to your account.</p>
    </MessagePage>
  );
}

/** Signed in, but without the role that this page asks for. */
export function ForbiddenMessage({ href = "/", label = "Go to the start page" }: WayOn) {
  return (
    <MessagePage
      icon={Lock}
      title="This page isn't open to your account"
      actions={<LinkButton href={href}>{label}</LinkButton>}
    >
      <p>
        It asks for a role that you don't have here. Someone who manages this event or organization can give
        it to you.
      </p>
    </MessagePage>
  );
}

type ErrorProps = { /** Helps the operator to find it in the log. */ reference?: string; actions: ReactNode };

/** Something failed on our side. */
export function ErrorMessage({ reference, actions }: ErrorProps) {
  return (
    <MessagePage icon={CloudAlert} title="This page can't be shown right now" actions={actions}>
      <p>
        The service ran into a problem. What was saved before is still there. What you sent just now may not
        have arrived; please check before you send it again.
      </p>
      {reference && (
        <p className="text-base">
          If you tell someone about it, give them this reference:{" "}
          <code className="text-ink">{reference}</code>
        </p>
      )}
    </MessagePage>
  );
}
