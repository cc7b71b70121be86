<%= banner %>
