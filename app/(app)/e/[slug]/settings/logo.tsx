import { useTranslator } from "#i18n";
import { type PublicEventRecord, findSameSiteEventLogoPath } from "#components/event/event-data.ts";
import { Button } from "#components/ui/button.tsx";
import { FileField } from "#components/ui/field.tsx";
import { Form, FormActions, SubmitButton } from "#components/ui/form.tsx";
import { Notice } from "#components/ui/notice.tsx";
import { removeEventLogoAction } from "./actions.ts";
import { ImageFieldWithPreview } from "./image-preview.tsx";

/** The current logo, and the forms to change it. */
export function EventLogoForm({ event, error }: { event: PublicEventRecord; error?: string | undefined }) {
  const t = useTranslator("eventAdmin");
  const logo = findSameSiteEventLogoPath(event);
  return (
    <div className="grid gap-4">
      {error && (
        <Notice kind="danger" title={t("settings.logoRefused")} live>
          <p>{error}</p>
        </Notice>
      )}
      {logo ? (
        <img
          src={logo}
          alt={t("settings.logoNow")}
          className="max-h-32 max-w-full justify-self-start rounded-control object-contain"
        />
      ) : (
        <p className="text-muted wrap-anywhere">
          {event.logo ? t("settings.logoElsewhere", { address: event.logo }) : t("settings.noLogo")}
        </p>
      )}
      <UploadForm slug={event.slug} />
      {event.logo && (
        <Form action={removeEventLogoAction} hidden={{ slug: event.slug }} label={t("settings.removeLogo")}>
          <FormActions>
            <SubmitButton variant="quiet" pendingLabel={t("removing")}>
              {t("settings.removeLogo")}
            </SubmitButton>
          </FormActions>
        </Form>
      )}
    </div>
  );
}

/** Posts to a route, because a server action would load the whole file into memory. */
function UploadForm({ slug }: { slug: string }) {
  const t = useTranslator("eventAdmin");
  return (
    <form
      action={`/e/${slug}/settings/logo`}
      method="post"
      encType="multipart/form-data"
      className="grid gap-4"
    >
      <ImageFieldWithPreview alt={t("settings.logoChosen")}>
        <FileField
          name="logo"
          label={t("settings.newLogo")}
          hint={t("settings.newLogoHint")}
          accept="image/png,image/jpeg,image/webp"
          required
        />
      </ImageFieldWithPreview>
      <div>
        <Button type="submit">{t("settings.upload")}</Button>
      </div>
    </form>
  );
}
