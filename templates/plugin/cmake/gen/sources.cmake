<%= banner %>
# Everything that is compiled into the library.
set(EP_SOURCES
<% for source in sources %>
  <%= source | path %>
<% endfor %>
)
