// No validator, because it would be called over the network. An entered key stays in this tab.
SwaggerUIBundle({
  url: "/openapi.json",
  dom_id: "#swagger-ui",
  deepLinking: true,
  displayRequestDuration: true,
  docExpansion: "list",
  persistAuthorization: false,
  queryConfigEnabled: false,
  // Calls go to the host that serves this page, because the policy of the page allows no other one.
  requestInterceptor: (request) => {
    const called = new URL(request.url, location.href);
    request.url = location.origin + called.pathname + called.search;
    return request;
  },
  validatorUrl: null,
});
