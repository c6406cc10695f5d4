import { CircleAlert, CloudAlert, Hourglass, Lock, SearchX, ShieldCheck } from "lucide-react";
import type { ReactNode } from "react";
import { LinkButton } from "#components/ui/button.tsx";
import { Icon, type LucideIcon } from "#components/ui/icon.tsx";
import { withNext } from "#lib/api/next-path.ts";

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

type MoreProps = { /** Other ways on, after the one to the start page. */ actions?: ReactNode };

/** Absent, or not for this person: the two look the same on purpose. */
export function NotFoundMessage({ actions }: MoreProps) {
  return (
    <MessagePage icon={SearchX} title="There is nothing at this address" actions={<WaysOn>{actions}</WaysOn>}>
      <p>The link may be old or cut short, or this page isn't open to your account.</p>
    </MessagePage>
  );
}

/** Signed in, but without the role that this page asks for. */
export function ForbiddenMessage({ actions }: MoreProps) {
  return (
    <MessagePage
      icon={Lock}
      title="This page isn't open to your account"
      actions={<WaysOn>{actions}</WaysOn>}
    >
      <p>
        It asks for a role that you don't have here. Someone who manages this event or organization can give
        it to you.
      </p>
    </MessagePage>
  );
}

/** Signed in, with a role here that waits until there is a second factor. `next` is this page, to come back to. */
export function SecondFactorMessage({ next }: { next: string }) {
  return (
    <MessagePage
      icon={ShieldCheck}
      title="This page needs a second factor"
      actions={
        <>
          <LinkButton variant="primary" href={withNext("/account/security", next)}>
            Set up a second factor
          </LinkButton>
          <LinkButton href="/">Go to the start page</LinkButton>
        </>
      }
    >
      <p>
        The organization asks everybody on its team for one. Set it up in your account and come back: your
        roles here then work again.
      </p>
    </MessagePage>
  );
}

type RefusedProps = MoreProps & { title: string; children: ReactNode };

/** Not now or not like this, for a reason of its own. */
export function RefusedMessage({ title, children, actions }: RefusedProps) {
  return (
    <MessagePage icon={CircleAlert} title={title} actions={<WaysOn>{actions}</WaysOn>}>
      {children}
    </MessagePage>
  );
}

function WaysOn({ children }: { children: ReactNode }) {
  return (
    <>
      <LinkButton href="/">Go to the start page</LinkButton>
      {children}
    </>
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
      <Reference value={reference} />
    </MessagePage>
  );
}

/** Nothing is broken; the service, or its database, can't be reached for the moment. */
export function BusyMessage({ reference, actions }: ErrorProps) {
  return (
    <MessagePage icon={Hourglass} title="The service is busy" actions={actions}>
      <p>
        It can't show this page for the moment. What was saved before is still there. Wait a few seconds and
        try again; if you sent something just now, please check whether it arrived.
      </p>
      <Reference value={reference} />
    </MessagePage>
  );
}

function Reference({ value }: { value: string | undefined }) {
  if (!value) return null;
  return (
    <p className="text-base">
      If you tell someone about it, give them this reference:
      <code className="block text-sm break-all text-ink">{value}</code>
    </p>
  );
}
